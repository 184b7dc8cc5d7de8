#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/inspect.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include <bit>

#include "kernels/inspect.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// Magnitudes order as their bits do, and a NaN's are the largest.
template <class F>
HWY_INLINE F largest_magnitude(const F* x, Extent rows, Extent stride, Extent count) {
  const Whole<F> d;
  const hn::RebindToSigned<Whole<F>> bits;
  auto largest = hn::Zero(bits);
  for (Extent row = 0; row < rows; ++row, x += stride) {
    for_vectors(d, count, [&](Extent i, auto lanes) HWY_ATTR {
      largest = hn::Max(largest, hn::BitCast(bits, hn::Abs(lanes.load(x + i))));
    });
  }
  HWY_ALIGN hn::TFromD<decltype(bits)> each[HWY_MAX_BYTES / sizeof(F)];
  hn::Store(largest, bits, each);
  auto most = each[0];
  for (std::size_t i = 1; i < hn::Lanes(bits); ++i) most = std::max(most, each[i]);
  return std::bit_cast<F>(most);
}

template <class F>
HWY_INLINE bool has_negative_zero(const F* x, Extent count) {
  const Whole<F> d;
  const hn::RebindToUnsigned<Whole<F>> bits;
  const auto negative_zero = hn::BitCast(bits, hn::Set(d, F(-0.0)));
  bool found = false;
  for_vectors(d, count, [&](Extent i, auto lanes) HWY_ATTR {
    found = found || !hn::AllFalse(bits, hn::Eq(hn::BitCast(bits, lanes.load(x + i)), negative_zero));
  });
  return found;
}

float largest_float(const float* x, Extent rows, Extent stride, Extent count) {
  return largest_magnitude(x, rows, stride, count);
}
double largest_double(const double* x, Extent rows, Extent stride, Extent count) {
  return largest_magnitude(x, rows, stride, count);
}
bool negative_zero_float(const float* x, Extent count) { return has_negative_zero(x, count); }
bool negative_zero_double(const double* x, Extent count) { return has_negative_zero(x, count); }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(largest_float);
HWY_EXPORT(largest_double);
HWY_EXPORT(negative_zero_float);
HWY_EXPORT(negative_zero_double);

template <>
float largest_magnitude(const float* x, Extent rows, Extent stride, Extent count) {
  return HWY_DYNAMIC_DISPATCH(largest_float)(x, rows, stride, count);
}
template <>
double largest_magnitude(const double* x, Extent rows, Extent stride, Extent count) {
  return HWY_DYNAMIC_DISPATCH(largest_double)(x, rows, stride, count);
}
template <>
bool has_negative_zero(const float* x, Extent count) {
  return HWY_DYNAMIC_DISPATCH(negative_zero_float)(x, count);
}
template <>
bool has_negative_zero(const double* x, Extent count) {
  return HWY_DYNAMIC_DISPATCH(negative_zero_double)(x, count);
}

}  // namespace topos::kernels
#endif
