// log and log1p of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/logarithm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/families.hpp"
#include "kernels/map/logarithm.hpp"
#include "topos/element/math.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

struct Log {
  static float exact(float x) { return math::log(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const Single d;
    const SingleBits bits;
    const FloatLanes operand = hn::LoadU(d, x);
    const IntegerLanes exponent = exponent_of(operand);
    const FloatLanes fraction = hn::Sub(divide_by_power(operand, exponent), constant(1.0f));  // exact
    const Halves k = promote(exponent), f = promote(fraction), divisor = approximate_divisor(fraction);
    Rounded y = round({logarithm(k.low, f.low, divisor.low), logarithm(k.high, f.high, divisor.high)});
    const auto above_subnormals = hn::Sub(hn::BitCast(bits, operand), hn::Set(bits, 0x00800000));
    const auto positive_normal = hn::Lt(above_subnormals, hn::Set(bits, 0x7f000000));
    y.doubtful = hn::Or(y.doubtful, hn::Not(hn::RebindMask(d, positive_normal)));
    return y;
  }
#endif
};

struct Log1p {
  static float exact(float x) { return math::log1p(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const FloatLanes operand = hn::LoadU(Single(), x);
    const FloatLanes one = constant(1.0f);
    // The rounded 1 + x is good enough for k; f = (1 + x) 2^-k - 1 is then rounded once.
    const IntegerLanes exponent = exponent_of(hn::Add(operand, one));
    const FloatLanes power = divide_by_power(one, exponent);
    const Halves wide = promote(x), k = promote(exponent), scale = promote(power);
    const Halves f = {fraction(wide.low, scale.low), fraction(wide.high, scale.high)};
    const Halves divisor = approximate_divisor(hn::MulAdd(operand, power, hn::Sub(power, one)));
    Rounded y = round({logarithm(k.low, f.low, divisor.low), logarithm(k.high, f.high, divisor.high)});
    y.value = hn::CopySign(y.value, operand);  // -0
    const FloatMask covered = hn::And(hn::Gt(operand, constant(-1.0f)), hn::Lt(operand, constant(0x1p126f)));
    y.doubtful = hn::Or(y.doubtful, hn::Not(covered));
    return y;
  }
  static HWY_INLINE DoubleLanes fraction(DoubleLanes x, DoubleLanes scale) {
    return hn::MulAdd(x, scale, hn::Sub(scale, constant(1.0)));
  }
#endif
};

void log(const float* x, float* out, std::size_t count) { round_correctly<Log>(out, count, x); }
void log1p(const float* x, float* out, std::size_t count) { round_correctly<Log1p>(out, count, x); }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(log);
HWY_EXPORT(log1p);
void log(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(log)(x, out, count); }
void log1p(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(log1p)(x, out, count); }

}  // namespace topos::kernels
#endif
