#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/row_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include <algorithm>
#include <cstring>

#include "kernels/reduce/data_kernels.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <class F>
void gather_rows(const F* table, const std::int64_t* indices, Extent count, Extent row, F* out) {
  constexpr Extent worth_a_call = 256 / sizeof(F);
  for (Extent i = 0; i < count; ++i) {
    const F* const from = table + indices[i] * row;
    if (row < worth_a_call) {
      copy_run(from, row, out + i * row);
    } else {
      std::memcpy(out + i * row, from, static_cast<std::size_t>(row) * sizeof(F));
    }
  }
}

/// Zeros in columns first ... first + width - 1 of `rows` rows.
template <class F>
HWY_INLINE void clear(Extent rows, Extent row, Extent first, Extent width, F* out) {
  if (width == row) return fill_run(F{0}, rows * row, out);
  for (Extent r = 0; r < rows; ++r) fill_run(F{0}, width, out + r * row + first);
}

template <class F>
void scatter_rows(const F* gradient, const std::int64_t* indices, Extent count, Extent row, Extent begin,
                  Extent end, Extent first, Extent width, F* out) {
  clear(end - begin, row, first, width, out + begin * row);
  for (Extent i = 0; i < count; ++i) {
    if (indices[i] < begin || indices[i] >= end) continue;
    add_run(gradient + i * row + first, width, out + indices[i] * row + first);
  }
}

template <class F>
inline constexpr RowKernels<F> kernels_of_rows{&gather_rows<F>, &scatter_rows<F>};
const RowKernels<float>* float_rows() { return &kernels_of_rows<float>; }
const RowKernels<double>* double_rows() { return &kernels_of_rows<double>; }

// The reference adds window by window and along each window. At one position an earlier window is one that
// reaches it with a later element, so that the elements may be taken one after the other, the last first,
// each for a stretch of windows: additions that do not wait for each other.
template <Extent inner, class F>
HWY_INLINE void fold_narrow(const F* x, const FoldShape& shape, F* out) {
  constexpr Extent stretch = 1024;
  for (Extent first = 0; first < shape.windows; first += stretch) {
    const Extent last = std::min(first + stretch, shape.windows);
    for (Extent k = shape.size - 1; k >= 0; --k) {
      const F* from = x + (first * shape.size + k) * inner;
      F* to = out + (first * shape.step + k * shape.dilation) * inner;
      for (Extent w = first; w < last; ++w, from += shape.size * inner, to += shape.step * inner) {
        for (Extent i = 0; i < inner; ++i) to[i] = to[i] + from[i];
      }
    }
  }
}

// Wider runs are added up position by position: the windows first ... last that may reach one, in their
// order.
template <class F>
HWY_INLINE void fold_wide(const F* x, const FoldShape& shape, Extent first_column, Extent width, F* out) {
  const Whole<F> d;
  const Extent inner = shape.inner;
  const Extent span = shape.dilation * (shape.size - 1);
  for (Extent p = 0; p < shape.extent; ++p) {
    const Extent first = p <= span ? 0 : (p - span - 1) / shape.step + 1;
    const Extent last = std::min(p / shape.step, shape.windows - 1);
    for_vectors(d, width, [&](Extent i, auto lanes) HWY_ATTR {
      const F* const column = shape.windows > 0 ? x + first_column + i : nullptr;
      auto sum = hn::Zero(d);
      for (Extent w = first; w <= last; ++w) {
        Extent k = p - w * shape.step;
        if (shape.dilation > 1) {
          if (k % shape.dilation != 0) continue;
          k /= shape.dilation;
        }
        sum = hn::Add(sum, lanes.load(column + (w * shape.size + k) * inner));
      }
      lanes.store(sum, out + p * inner + first_column + i);
    });
  }
}

template <class F>
void fold_slice(const F* x, const FoldShape& shape, Extent first, Extent width, F* out) {
  if (shape.inner > 3) return fold_wide(x, shape, first, width, out);
  fill_run(F{0}, shape.extent * shape.inner, out);
  if (shape.inner == 1) fold_narrow<1>(x, shape, out);
  if (shape.inner == 2) fold_narrow<2>(x, shape, out);
  if (shape.inner == 3) fold_narrow<3>(x, shape, out);
}

template <class F>
inline constexpr FoldKernels<F> kernels_of_folds{&fold_slice<F>};
const FoldKernels<float>* float_folds() { return &kernels_of_folds<float>; }
const FoldKernels<double>* double_folds() { return &kernels_of_folds<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_rows);
HWY_EXPORT(double_rows);
HWY_EXPORT(float_folds);
HWY_EXPORT(double_folds);

template <>
const RowKernels<float>& row_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_rows)();
}
template <>
const RowKernels<double>& row_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_rows)();
}
template <>
const FoldKernels<float>& fold_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_folds)();
}
template <>
const FoldKernels<double>& fold_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_folds)();
}

}  // namespace topos::kernels
#endif
