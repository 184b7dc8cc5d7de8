// erf of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/error_function.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/families.hpp"
#include "kernels/map/rounded.hpp"
#include "topos/element/math.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

#if TOPOS_KERNELS_HALVES
constexpr double split = 1.5;     // up to here the first polynomial
constexpr double centre = 2.725;  // of the second one's interval
constexpr double end = 3.95;      // 1 - erf(3.95) = 2.3e-8, which is well below the tie at 3.0e-8

/// erf(x) / x in x^2 for |x| <= split: minimax polynomial, relative error 2^-43.4.
constexpr double inner_coefficients[] = {
    0x1.20dd7504299d1p+0,  -0x1.812746b00607fp-2,  0x1.ce2f21904ed9ep-4,  -0x1.b82ce10bf015ap-6,
    0x1.565baacb808e6p-8,  -0x1.c02b037db1aadp-11, 0x1.f980a0b94c011p-14, -0x1.f3abd69999909p-17,
    0x1.b344061a5f08ep-20, -0x1.459e05cb7d531p-23, 0x1.77d652807b9c4p-27, -0x1.e787c2263ebe2p-32,
};

/// erf(centre + t) for split <= centre + t <= end: minimax polynomial, relative error 2^-45.
constexpr double outer_coefficients[] = {
    0x1.fff0c094c3259p-1,   0x1.60774057a97a1p-11,  -0x1.e03c147f8e6afp-10, 0x1.96d74d1840545p-9,
    -0x1.da48221073980p-9,  0x1.8aea341413c13p-9,   -0x1.d07a7d7563482p-10, 0x1.5b262ae2532f9p-11,
    -0x1.2b75404b1974ap-14, -0x1.66a5aefd96653p-14, 0x1.f15d3c0c67138p-15,  -0x1.024b1c3b7ea5ap-16,
    -0x1.0a648e034aa27p-19, 0x1.95361ef1bfe03p-19,  -0x1.edcbba5c20405p-21, -0x1.c5638de680907p-25,
    0x1.14c096a5f8345p-23,  -0x1.ee095e5d0eb68p-26, -0x1.966e32d00138ap-28, 0x1.68b8041b5b97ep-29,
};

/// erf(x) for 0 <= x <= end.
HWY_INLINE DoubleLanes error_function(DoubleLanes x) {
  const DoubleLanes inner = hn::Mul(x, polynomial(inner_coefficients, hn::Mul(x, x)));
  const DoubleLanes outer = polynomial(outer_coefficients, hn::Sub(x, constant(centre)));
  return hn::IfThenElse(hn::Lt(x, constant(split)), inner, outer);
}
#endif

struct Erf {
  static float exact(float x) { return math::erf(x); }
#if TOPOS_KERNELS_HALVES
  static HWY_INLINE Rounded evaluate(const float* x) {
    const Single d;
    const SingleBits bits;
    const FloatLanes operand = hn::LoadU(d, x);
    const FloatLanes magnitude = hn::Abs(operand);
    const Halves wide = promote(hn::Min(magnitude, constant(static_cast<float>(end))));
    Rounded y = round({error_function(wide.low), error_function(wide.high)});
    y.value = hn::CopySign(y.value, operand);
    const auto above_zero = hn::Sub(hn::BitCast(bits, magnitude), hn::Set(bits, 1));
    const FloatMask subnormal = hn::RebindMask(d, hn::Lt(above_zero, hn::Set(bits, 0x007fffff)));
    y.doubtful = hn::Or(y.doubtful, hn::Or(subnormal, hn::IsNaN(operand)));
    return y;
  }
#endif
};

void erf(const float* x, float* out, std::size_t count) { round_correctly<Erf>(out, count, x); }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(erf);
void erf(const float* x, float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(erf)(x, out, count); }

}  // namespace topos::kernels
#endif
