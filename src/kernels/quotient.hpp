// Division by divisors whose reciprocals are at hand, for one instruction set at a time.
#if defined(TOPOS_KERNELS_QUOTIENT_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_QUOTIENT_HPP
#undef TOPOS_KERNELS_QUOTIENT_HPP
#else
#define TOPOS_KERNELS_QUOTIENT_HPP
#endif

#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// x / divisor, correctly rounded, where `reciprocal` is reciprocal_of(divisor) (kernels/map.hpp).
///
/// The quotient x r and its remainder are corrected once. Before its last rounding the result is off by at
/// most 1.5 2^-47 of itself (r, x r and the remainder are each rounded once), so that it can round otherwise
/// than the quotient only where that lies so near to halfway between two floats: with 24-bit x and divisor D,
/// where 2^24 x - m D (2^25 x, for x < D) is one of -6 ... 6 for an odd m. The tests try every such pair.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V quotient(D d, V x, V divisor, V reciprocal) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float> && has_fused_multiply_add) {
    const V first = hn::Mul(x, reciprocal);
    const V remainder = hn::NegMulAdd(first, divisor, x);
    const auto is_zero = hn::Eq(x, hn::Zero(d));
    const V result = hn::IfThenElse(is_zero, first, hn::MulAdd(remainder, reciprocal, first));
    const auto is_tiny = hn::AndNot(is_zero, hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-60f)));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(is_tiny, hn::IsNaN(result))))) return result;
  }
  return hn::Div(x, divisor);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
