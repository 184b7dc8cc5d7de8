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

#if HWY_TARGET == HWY_AVX3
/// The bits of 2^(j/16), less j 2^48: adding n 2^48 gives 2^(n/16) for j = n mod 16. They stay in registers.
alignas(64) constexpr std::uint64_t roots_of_two[] = {
    0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
    0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
    0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
    0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
};

/// e^r for |r| <= ln(2)/32: polynomial of degree 5 through the Chebyshev points, relative error 2^-47.
constexpr double root_coefficients[] = {
    0x1.0000000000014p+0, 0x1.0000000000003p+0, 0x1.fffffffd0b972p-2,
    0x1.555555547d378p-3, 0x1.5557621efff03p-5, 0x1.11123cf1dbad0p-7,
};

/// e^x for |x| <= 88, relative error below 2^-45: x = n ln(2)/16 + r.
HWY_INLINE DoubleLanes exponential(DoubleLanes x) {
  const DoubleBits bits;
  const DoubleLanes shift = constant(0x1.8p52);
  const DoubleLanes shifted = hn::MulAdd(x, constant(0x1.71547652b82fep4), shift);  // n in its low bits
  const DoubleLanes r = hn::NegMulAdd(hn::Sub(shifted, shift), constant(0x1.62e42fefa39efp-5), x);
  const auto n = hn::BitCast(bits, shifted);
  const hn::Vec<DoubleBits> root{_mm512_permutex2var_epi64(hn::Load(bits, roots_of_two).raw, n.raw,
                                                           hn::Load(bits, roots_of_two + 8).raw)};
  const DoubleLanes power = hn::BitCast(Double(), hn::Add(root, hn::ShiftLeft<48>(n)));
  return hn::Mul(power, polynomial(root_coefficients, r));
}
#else
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
#endif

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
