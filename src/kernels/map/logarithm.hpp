// log in f64 lanes. For one instruction set at a time, as simd.hpp.
#if defined(TOPOS_KERNELS_MAP_LOGARITHM_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_MAP_LOGARITHM_HPP
#undef TOPOS_KERNELS_MAP_LOGARITHM_HPP
#else
#define TOPOS_KERNELS_MAP_LOGARITHM_HPP
#endif

#include "kernels/map/rounded.hpp"

#if TOPOS_KERNELS_HALVES

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

using SingleIntegers = hn::RebindToSigned<Single>;
using IntegerLanes = hn::Vec<SingleIntegers>;

/// The exponent k of positive normal lanes x = 2^k m with sqrt(1/2) <= m < sqrt(2).
HWY_INLINE IntegerLanes exponent_of(FloatLanes x) {
  const SingleIntegers integers;
  return hn::ShiftRight<23>(hn::Sub(hn::BitCast(integers, x), hn::Set(integers, 0x3f3504f3)));
}

/// x 2^-k, by taking k from the exponent.
HWY_INLINE FloatLanes divide_by_power(FloatLanes x, IntegerLanes k) {
  const SingleIntegers integers;
  return hn::BitCast(Single(), hn::Sub(hn::BitCast(integers, x), hn::ShiftLeft<23>(k)));
}

HWY_INLINE Halves promote(IntegerLanes k) {
  const hn::Half<SingleIntegers> half;
  return {hn::PromoteTo(Double(), hn::LowerHalf(half, k)), hn::PromoteTo(Double(), hn::UpperHalf(half, k))};
}

/// 1/(2 + f) to 23 bits, which is enough to start from; an f32 division costs a quarter of an f64 one.
HWY_INLINE Halves approximate_divisor(FloatLanes f) {
  return promote(hn::Div(constant(1.0f), hn::Add(f, constant(2.0f))));
}

/// (2 atanh(s) - 2s) / s^3 in s^2, for s = f/(2 + f) and sqrt(1/2) <= 1 + f <= sqrt(2). Minimax polynomials:
/// 2 atanh(s) is right to 2^-44 with the first, to 2^-52 with the second.
constexpr double logarithm_coefficients[] = {
    0x1.555555561e18bp-1, 0x1.999996a97d0a1p-2, 0x1.249411f0ac5e2p-2,
    0x1.c62b0cbf089e8p-3, 0x1.91165f9b14ccfp-3,
};
constexpr double precise_logarithm_coefficients[] = {
    0x1.5555555553960p-1, 0x1.999999a295a61p-2, 0x1.24924175be1eep-2,
    0x1.c7227977fe046p-3, 0x1.732bf0400fb3dp-3, 0x1.587a5f23b2992p-3,
};

/// log(1 + f) = 2 atanh(s) from s.
template <std::size_t Size>
HWY_INLINE DoubleLanes logarithm_by_series(const double (&coefficients)[Size], DoubleLanes s) {
  const DoubleLanes square = hn::Mul(s, s);
  return hn::MulAdd(hn::Mul(s, square), polynomial(coefficients, square), hn::Add(s, s));
}

/// k ln 2 + log(1 + f), relative error below 2^-43. `divisor` is 1/(2 + f) to 22 bits; one Newton step brings
/// the quotient to 44.
HWY_INLINE DoubleLanes logarithm(DoubleLanes k, DoubleLanes f, DoubleLanes divisor) {
  const DoubleLanes error = hn::NegMulAdd(hn::Add(f, constant(2.0)), divisor, constant(1.0));
  const DoubleLanes estimate = hn::Mul(f, divisor);
  const DoubleLanes s = hn::MulAdd(estimate, error, estimate);
  return hn::MulAdd(k, constant(0x1.62e42fefa39efp-1), logarithm_by_series(logarithm_coefficients, s));
}

/// The same with a relative error below 2^-50: the quotient's remainder is divided once more, and ln 2 has
/// two parts, of which the first has few enough bits that its product with k is exact.
HWY_INLINE DoubleLanes precise_logarithm(DoubleLanes k, DoubleLanes f, DoubleLanes divisor) {
  const DoubleLanes sum = hn::Add(f, constant(2.0));
  const DoubleLanes inverse = hn::MulAdd(divisor, hn::NegMulAdd(sum, divisor, constant(1.0)), divisor);
  const DoubleLanes estimate = hn::Mul(f, inverse);
  const DoubleLanes s = hn::MulAdd(hn::NegMulAdd(estimate, sum, f), inverse, estimate);
  const DoubleLanes low =
      hn::MulAdd(k, constant(0x1.ef35793c7673p-45), logarithm_by_series(precise_logarithm_coefficients, s));
  return hn::MulAdd(k, constant(0x1.62e42fefa38p-1), low);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
