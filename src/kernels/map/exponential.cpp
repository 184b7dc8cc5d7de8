// exp, expm1 and tanh of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/exponential.cpp"
#include <hwy/foreach_target.h>

#include <limits>

#include "kernels/map/exponential.hpp"
#include "kernels/map/families.hpp"
#include "topos/element/math.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

struct Exp {
  static float exact(float x) { return math::exp(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const Single d;
    const Halves wide = promote(x);
    Rounded y = round({exponential(wide.low), exponential(wide.high)});
    const FloatMask normal = hn::Le(hn::Abs(hn::LoadU(d, x)), constant(87.33f));  // e^-87.33 > 2^-126
    y.doubtful = hn::Or(y.doubtful, hn::Not(normal));
    return y;
  }
  static void saturate(Rounded& y, const float* x) { saturate_outside(y, x, -104.0f, 0.0f); }

  /// Below `low` the result is `low_value`; above 89 it is infinite.
  static void saturate_outside(Rounded& y, const float* x, float low, float low_value) {
    const Single d;
    const FloatLanes operand = hn::LoadU(d, x);
    const FloatMask below = hn::Lt(operand, constant(low));
    const FloatMask above = hn::Gt(operand, constant(89.0f));
    y.value = hn::IfThenElse(below, constant(low_value), y.value);
    y.value = hn::IfThenElse(above, constant(std::numeric_limits<float>::infinity()), y.value);
    y.doubtful = hn::AndNot(hn::Or(below, above), y.doubtful);
  }
#endif
};

#if TOPOS_KERNELS_HALVES
/// (e^r - 1) / r for |r| <= ln(2)/2: minimax polynomial of degree 9, relative error 2^-49.
constexpr double growth_coefficients[] = {
    1.0,
    0x1.fffffffffffb0p-2,
    0x1.5555555550e27p-3,
    0x1.5555555565b8cp-5,
    0x1.11111123a59b5p-7,
    0x1.6c16c13573280p-10,
    0x1.a019951b851f4p-13,
    0x1.a01a736cff6dap-16,
    0x1.72e0b2d6123b3p-19,
    0x1.27e50116313c7p-22,
};

/// e^x - 1 for |x| <= 88, without cancellation near 0: there n is 0 and 2^n - 1 exact.
HWY_INLINE DoubleLanes exponential_minus_one(DoubleLanes x) {
  const ReducedByLn2 reduced = reduce_by_ln2(x);
  const DoubleLanes growth = hn::Mul(reduced.r, polynomial(growth_coefficients, reduced.r));
  const DoubleLanes power = times_power(constant(1.0), reduced);
  return hn::MulAdd(power, growth, hn::Sub(power, constant(1.0)));
}
#endif

struct Expm1 {
  static float exact(float x) { return math::expm1(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const FloatLanes operand = hn::LoadU(Single(), x);
    const Halves wide = promote(x);
    Rounded y = round({exponential_minus_one(wide.low), exponential_minus_one(wide.high)});
    y.value = hn::CopySign(y.value, operand);
    y.doubtful = hn::Or(y.doubtful, hn::Not(hn::Le(hn::Abs(operand), constant(87.33f))));
    return y;
  }
  static void saturate(Rounded& y, const float* x) { Exp::saturate_outside(y, x, -18.0f, -1.0f); }
#endif
};

struct Tanh {
  static float exact(float x) { return math::tanh(x); }
#if TOPOS_KERNELS_HALVES
  /// g / (g + 2) with g = e^2x - 1, for x >= 0.
  static HWY_INLINE DoubleLanes hyperbolic_tangent(DoubleLanes x) {
    const DoubleLanes growth = exponential_minus_one(hn::Add(x, x));
    return hn::Div(growth, hn::Add(growth, constant(2.0)));
  }
  static HWY_INLINE Rounded evaluate(const float* x) {
    const FloatLanes operand = hn::LoadU(Single(), x);
    // 1 - tanh(9.25) = 1.8e-8, which is well below the tie at 3.0e-8
    const Halves wide = promote(hn::Min(hn::Abs(operand), constant(9.25f)));
    Rounded y = round({hyperbolic_tangent(wide.low), hyperbolic_tangent(wide.high)});
    y.value = hn::CopySign(y.value, operand);
    y.doubtful = hn::Or(y.doubtful, hn::IsNaN(operand));
    return y;
  }
#endif
};

void exp(const float* x, float* out, std::size_t count) { round_correctly<Exp>(out, count, x); }
void expm1(const float* x, float* out, std::size_t count) { round_correctly<Expm1>(out, count, x); }
void tanh(const float* x, float* out, std::size_t count) { round_correctly<Tanh>(out, count, x); }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(exp);
HWY_EXPORT(expm1);
HWY_EXPORT(tanh);
void exp(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(exp)(x, out, count); }
void expm1(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(expm1)(x, out, count); }
void tanh(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(tanh)(x, out, count); }

}  // namespace topos::kernels
#endif
