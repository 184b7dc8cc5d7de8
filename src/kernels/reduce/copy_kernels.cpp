#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/copy_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include <algorithm>
#include <cstring>

#include "kernels/transpose.hpp"
#include "kernels/reduce/data_kernels.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// out[i] = x[2 * i] for as many of them as are whole vectors; the answer is how many.
template <class F>
HWY_INLINE Extent copy_every_other(const F* x, Extent count, F* out) {
#if HWY_TARGET == HWY_SCALAR
  (void)x, (void)count, (void)out;
  return 0;
#else
  const hn::CappedTag<F, 8> d;
  const auto lanes = static_cast<Extent>(hn::Lanes(d));
  Extent i = 0;
  for (; i + lanes < count; i += lanes) {  // x[2 * count - 1] may not be there
    const auto low = hn::LoadU(d, x + 2 * i);
    const auto high = hn::LoadU(d, x + 2 * i + lanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, out + i);
  }
  return i;
#endif
}

template <class F>
void copy_runs(const F* x, Extent row_stride, Extent stride, Extent rows, Extent count, F* out) {
  constexpr Extent worth_a_call = 512 / sizeof(F);
  for (Extent r = 0; r < rows; ++r, x += row_stride, out += count) {
    if (stride == 0) {
      fill_run(*x, count, out);
    } else if (stride == 1 && count < worth_a_call) {
      copy_run(x, count, out);
    } else if (stride == 1) {
      std::memcpy(out, x, static_cast<std::size_t>(count) * sizeof(F));
    } else {
      Extent i = stride == 2 ? copy_every_other(x, count, out) : 0;
      for (; i < count; ++i) out[i] = x[i * stride];
    }
  }
}

// Tiles of a few rows, so that whole cache lines are read and the lines being written stay in the cache even
// when they are a power of two apart.
template <class F>
void transpose_matrix(const F* x, Extent stride, Extent rows, Extent columns, F* out, Extent out_stride) {
#if HWY_TARGET == HWY_SCALAR
  constexpr Extent height = 1;
  constexpr Extent width = 1;
#else
  constexpr Extent height = transpose_depth<F>;
  constexpr Extent width = transpose_rows<F>;
#endif
  const Extent whole_columns = columns / width * width;
  Extent i = 0;
  for (; i + height <= rows; i += height) {
    for (Extent j = 0; j < whole_columns; j += width) {
#if HWY_TARGET == HWY_SCALAR
      out[i * out_stride + j] = x[i + j * stride];
#else
      const std::int64_t offsets[] = {0, stride, 2 * stride, 3 * stride};
      transpose(x + i + j * stride, offsets, out + i * out_stride + j, out_stride);
#endif
    }
    for (Extent j = whole_columns; j < columns; ++j) {
      for (Extent k = i; k < i + height; ++k) out[k * out_stride + j] = x[k + j * stride];
    }
  }
  for (Extent j = 0; j < columns && i < rows; ++j) {
    for (Extent k = i; k < rows; ++k) out[k * out_stride + j] = x[k + j * stride];
  }
}

template <class F>
inline constexpr CopyKernels<F> kernels_of_copies{&copy_runs<F>, &transpose_matrix<F>};
const CopyKernels<float>* float_copies() { return &kernels_of_copies<float>; }
const CopyKernels<double>* double_copies() { return &kernels_of_copies<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_copies);
HWY_EXPORT(double_copies);

template <>
const CopyKernels<float>& copy_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_copies)();
}
template <>
const CopyKernels<double>& copy_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_copies)();
}

}  // namespace topos::kernels
#endif
