// sin and cos of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/trigonometric.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/families.hpp"
#include "kernels/map/rounded.hpp"
#include "topos/element/math.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

#if TOPOS_KERNELS_HALVES
/// sin(r) / r in r^2 for |r| <= pi/2: minimax polynomial, relative error 2^-43.
constexpr double sine_coefficients[] = {
    1.0,
    -0x1.5555555547138p-3,
    0x1.1111110a55615p-7,
    -0x1.a019fd59388c6p-13,
    0x1.71dcf846ca0cbp-19,
    -0x1.ae03f74b1f8bdp-26,
    0x1.52dbdad825b5dp-33,
};

HWY_INLINE DoubleLanes sine(DoubleLanes r) {
  return hn::Mul(r, polynomial(sine_coefficients, hn::Mul(r, r)));
}

/// x - q pi, exact but for the last subtraction: the first part of pi has 35 bits, and its product with q, a
/// multiple of 1/2 below 2^16, 52.
HWY_INLINE DoubleLanes minus_multiple_of_pi(DoubleLanes x, DoubleLanes q) {
  const DoubleLanes most = hn::NegMulAdd(q, constant(0x1.921fb5444p+1), x);
  return hn::NegMulAdd(q, constant(0x1.68c234c4c6629p-38), most);
}

/// y with its sign changed where the last bit of `shifted` is 1.
HWY_INLINE DoubleLanes negated_if_odd(DoubleLanes y, DoubleLanes shifted) {
  const DoubleBits bits;
  return hn::Xor(y, hn::BitCast(Double(), hn::ShiftLeft<63>(hn::BitCast(bits, shifted))));
}

constexpr double to_integer = 0x1.8p52;  // adding it leaves the nearest integer in the last bits
constexpr double inverse_pi = 0x1.45f306dc9c883p-2;

/// Beyond, q has too many bits; the scalar functions reduce exactly.
constexpr float largest_angle = 100000.0f;

HWY_INLINE Rounded round_angles(const Halves& y, const float* x) {
  Rounded result = round(y);
  const FloatMask covered = hn::Le(hn::Abs(hn::LoadU(Single(), x)), constant(largest_angle));
  result.doubtful = hn::Or(result.doubtful, hn::Not(covered));
  return result;
}
#endif

struct Sin {
  static float exact(float x) { return math::sin(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const Halves wide = promote(x);
    return round_angles({sine_of(wide.low), sine_of(wide.high)}, x);
  }
  /// x = q pi + r; sin(x) = (-1)^q sin(r).
  static HWY_INLINE DoubleLanes sine_of(DoubleLanes x) {
    const DoubleLanes shifted = hn::MulAdd(x, constant(inverse_pi), constant(to_integer));
    const DoubleLanes q = hn::Sub(shifted, constant(to_integer));
    return negated_if_odd(sine(minus_multiple_of_pi(x, q)), shifted);
  }
#endif
};

struct Cos {
  static float exact(float x) { return math::cos(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const Halves wide = promote(x);
    return round_angles({cosine_of(wide.low), cosine_of(wide.high)}, x);
  }
  /// x = (n - 1/2) pi + r; cos(x) = (-1)^n cos(r - pi/2) = (-1)^n sin(r).
  static HWY_INLINE DoubleLanes cosine_of(DoubleLanes x) {
    const DoubleLanes half = constant(0.5);
    const DoubleLanes shifted = hn::Add(hn::MulAdd(x, constant(inverse_pi), half), constant(to_integer));
    const DoubleLanes q = hn::Sub(hn::Sub(shifted, constant(to_integer)), half);
    return negated_if_odd(sine(minus_multiple_of_pi(x, q)), shifted);
  }
#endif
};

void sin(const float* x, float* out, std::size_t count) { round_correctly<Sin>(out, count, x); }
void cos(const float* x, float* out, std::size_t count) { round_correctly<Cos>(out, count, x); }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(sin);
HWY_EXPORT(cos);
void sin(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(sin)(x, out, count); }
void cos(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(cos)(x, out, count); }

}  // namespace topos::kernels
#endif
