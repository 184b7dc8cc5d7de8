// e^x in f64 lanes. For one instruction set at a time, as simd.hpp.
#if defined(TOPOS_KERNELS_MAP_EXPONENTIAL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_MAP_EXPONENTIAL_HPP
#undef TOPOS_KERNELS_MAP_EXPONENTIAL_HPP
#else
#define TOPOS_KERNELS_MAP_EXPONENTIAL_HPP
#endif

#include "kernels/map/rounded.hpp"

#if TOPOS_KERNELS_HALVES

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// x = n ln 2 + r with |r| <= ln(2)/2.
struct ReducedByLn2 {
  DoubleLanes shifted;  ///< n in its low bits
  DoubleLanes r;
};

/// r is wrong by less than 2^-45 for |x| <= 88, and meaningless but harmless beyond 2^51.
HWY_INLINE ReducedByLn2 reduce_by_ln2(DoubleLanes x) {
  const DoubleLanes shift = constant(0x1.8p52);
  const DoubleLanes shifted = hn::MulAdd(x, constant(0x1.71547652b82fep0), shift);
  return {shifted, hn::NegMulAdd(hn::Sub(shifted, shift), constant(0x1.62e42fefa39efp-1), x)};
}

/// y 2^n for positive y: n is added to its exponent.
HWY_INLINE DoubleLanes times_power(DoubleLanes y, const ReducedByLn2& x) {
  const DoubleBits bits;
  return hn::BitCast(Double(),
                     hn::Add(hn::BitCast(bits, y), hn::ShiftLeft<52>(hn::BitCast(bits, x.shifted))));
}

/// e^r for |r| <= ln(2)/2: minimax polynomial of degree 9, relative error 2^-46.
constexpr double exponential_coefficients[] = {
    0x1.000000000003ap+0,  0x1.ffffffffffc39p-1,  0x1.ffffffffe8245p-2,  0x1.55555555bb77fp-3,
    0x1.55555587a38f2p-5,  0x1.1111105b43ba3p-7,  0x1.6c162d83096fdp-10, 0x1.a01bc29b56f59p-13,
    0x1.a17c14cdf65c5p-16, 0x1.70dc08656f40bp-19,
};

/// e^x for |x| <= 88, relative error below 2^-45.
HWY_INLINE DoubleLanes exponential(DoubleLanes x) {
  const ReducedByLn2 reduced = reduce_by_ln2(x);
  return times_power(polynomial(exponential_coefficients, reduced.r), reduced);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
