// x^y of f32: e^(y log|x|), and the sign.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/power.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/exponential.hpp"
#include "kernels/map/families.hpp"
#include "kernels/map/logarithm.hpp"
#include "topos/element/math.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

struct Power {
  static float exact(float x, float y) { return math::pow(x, y); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x, const float* y) {
    const Single d;
    const SingleBits bits;
    const FloatLanes base = hn::LoadU(d, x), exponent = hn::LoadU(d, y);
    const FloatLanes magnitude = hn::Abs(base);
    const Halves product = times_logarithm(magnitude, promote(y));
    Rounded power = round({exponential(product.low), exponential(product.high)});

    // A negative base takes integers only; odd ones keep its sign.
    const FloatLanes half = hn::Mul(exponent, constant(0.5f));
    const FloatMask odd = hn::Ne(hn::Round(half), half);
    const FloatMask integer = hn::Eq(hn::Round(exponent), exponent);
    const FloatMask negative = hn::Lt(base, hn::Zero(d));
    power.value = hn::CopySign(power.value, hn::IfThenElseZero(odd, base));

    const auto above_subnormals = hn::Sub(hn::BitCast(bits, magnitude), hn::Set(bits, 0x00800000));
    const FloatMask normal = hn::RebindMask(d, hn::Lt(above_subnormals, hn::Set(bits, 0x7f000000)));
    const FloatMask moderate = is_moderate(product);
    power.doubtful = hn::Or(power.doubtful, hn::Not(hn::And(normal, moderate)));
    power.doubtful = hn::Or(power.doubtful, hn::AndNot(integer, negative));
    return power;
  }

  /// y log x, right to 2^-50 for positive normal x: e^(y log x) is right to 2^-43 while |y log x| <= 88.
  static HWY_INLINE Halves times_logarithm(FloatLanes x, const Halves& y) {
    const IntegerLanes exponent = exponent_of(x);
    const FloatLanes fraction = hn::Sub(divide_by_power(x, exponent), constant(1.0f));  // exact
    const Halves k = promote(exponent), f = promote(fraction), divisor = approximate_divisor(fraction);
    return {hn::Mul(y.low, precise_logarithm(k.low, f.low, divisor.low)),
            hn::Mul(y.high, precise_logarithm(k.high, f.high, divisor.high))};
  }

  /// Where e^product is a normal float. A product that is infinite or NaN is not.
  static HWY_INLINE FloatMask is_moderate(const Halves& product) {
    const HalfSingle half;
    const FloatLanes narrow =
        hn::Combine(Single(), hn::DemoteTo(half, product.high), hn::DemoteTo(half, product.low));
    return hn::Le(hn::Abs(narrow), constant(87.33f));
  }
#endif
};

void power(const float* x, const float* y, float* out, std::size_t count) {
  round_correctly<Power>(out, count, x, y);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(power);
void power(const float* x, const float* y, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(power)(x, y, out, count);
}

}  // namespace topos::kernels
#endif
