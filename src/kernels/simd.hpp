// What every kernel file shares, for one instruction set at a time: included after hwy/foreach_target.h, so
// the guard toggles with the target instead of letting the file in once.
#if defined(TOPOS_KERNELS_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_SIMD_HPP
#undef TOPOS_KERNELS_SIMD_HPP
#else
#define TOPOS_KERNELS_SIMD_HPP
#endif

#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
inline constexpr bool has_fused_multiply_add = true;
#else
inline constexpr bool has_fused_multiply_add = false;
#endif

/// std::fma for each lane: correct anywhere, and slow.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fused_multiply_add_by_lane(D d, V a, V b, V c) {
  using F = hn::TFromD<D>;
  constexpr std::size_t most = HWY_MAX_BYTES / sizeof(F);
  HWY_ALIGN F left[most];
  HWY_ALIGN F right[most];
  HWY_ALIGN F addend[most];
  hn::Store(a, d, left);
  hn::Store(b, d, right);
  hn::Store(c, d, addend);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) addend[i] = std::fma(left[i], right[i], addend[i]);
  return hn::Load(d, addend);
}

/// Half a vector of f32 fused multiply-adds in f64: the product is exact, the sum is rounded to odd, so that
/// rounding it once more to f32 gives what one rounding would.
template <class D64, class V32 = hn::Vec<hn::Rebind<float, D64>>>
HWY_INLINE V32 fused_multiply_add_by_odd(D64 d, V32 a, V32 b, V32 c) {
  const hn::RebindToUnsigned<D64> bits;
  const auto addend = hn::PromoteTo(d, c);
  const auto product = hn::Mul(hn::PromoteTo(d, a), hn::PromoteTo(d, b));
  const auto sum = hn::Add(product, addend);
  // what `sum` lost (Knuth's two-sum)
  const auto addend_part = hn::Sub(sum, product);
  const auto product_part = hn::Sub(sum, addend_part);
  const auto lost = hn::Add(hn::Sub(product, product_part), hn::Sub(addend, addend_part));
  const auto zero = hn::Zero(d);
  const auto inexact = hn::Or(hn::Lt(lost, zero), hn::Gt(lost, zero));  // false for NaN: sum is not finite
  const auto one = hn::Set(bits, 1);
  const auto sum_bits = hn::BitCast(bits, sum);
  const auto is_even = hn::Eq(hn::And(sum_bits, one), hn::Zero(bits));
  const auto away = hn::Eq(hn::ShiftRight<63>(hn::BitCast(bits, hn::Xor(sum, lost))), hn::Zero(bits));
  const auto odd = hn::IfThenElse(away, hn::Add(sum_bits, one), hn::Sub(sum_bits, one));
  const auto move = hn::And(hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(bits, is_even))), inexact);
  const auto rounded = hn::IfThenElse(move, hn::BitCast(d, odd), sum);
  return hn::DemoteTo(hn::Rebind<float, D64>(), rounded);
}

/// a * b + c, rounded once, on every instruction set.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fused_multiply_add(D d, V a, V b, V c) {
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
  (void)d;
  return hn::MulAdd(a, b, c);
#elif HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return fused_multiply_add_by_lane(d, a, b, c);
#else
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    const hn::Half<D> half;
    const hn::Rebind<double, decltype(half)> wide;
    const auto low = fused_multiply_add_by_odd(wide, hn::LowerHalf(half, a), hn::LowerHalf(half, b),
                                               hn::LowerHalf(half, c));
    const auto high = fused_multiply_add_by_odd(wide, hn::UpperHalf(half, a), hn::UpperHalf(half, b),
                                                hn::UpperHalf(half, c));
    return hn::Combine(d, high, low);
  } else {
    return fused_multiply_add_by_lane(d, a, b, c);
  }
#endif
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
