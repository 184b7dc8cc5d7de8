// f32 rounded to bf16, which stays in f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/bf16.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/families.hpp"
#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// The bits that Bf16(x) has: to nearest even; of a NaN the upper half, and one bit if it has none.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V rounded_to_bf16(D d, V x) {
  const hn::RebindToUnsigned<D> as_bits;
  const auto upper = hn::Set(as_bits, 0xFFFF0000);
  const auto bits = hn::BitCast(as_bits, x);
  const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(as_bits, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(as_bits, 0x7FFF)), is_odd);
  const auto is_lost = hn::Eq(hn::And(bits, hn::Set(as_bits, 0x007F0000)), hn::Zero(as_bits));
  const auto nan = hn::Or(bits, hn::IfThenElseZero(is_lost, hn::Set(as_bits, 0x00400000)));
  const auto is_nan = hn::RebindMask(as_bits, hn::IsNaN(x));
  return hn::BitCast(d, hn::And(hn::IfThenElse(is_nan, nan, rounded), upper));
}

void round_to_bf16(const float* x, float* out, std::size_t count) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(rounded_to_bf16(d, hn::LoadU(d, x + i)), d, out + i);
  for (; i < count; ++i) hn::StoreU(rounded_to_bf16(one, hn::LoadU(one, x + i)), one, out + i);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(round_to_bf16);
void round_to_bf16(const float* x, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(round_to_bf16)(x, out, count);
}

}  // namespace topos::kernels
#endif
