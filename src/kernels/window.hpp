// Two-dimensional windows over images whose channels lie innermost. Bits equal to the compositions that
// `topos/plan/patterns/` matches.
#pragma once

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// One axis of windows: `count` of them, `stride` apart, of `size` elements `dilation` apart.
struct WindowLine {
  Extent extent = 0;  ///< of the image
  Extent count = 0;
  Extent size = 1;
  Extent stride = 1;
  Extent dilation = 1;
};

/// Images [batch, rows.extent, columns.extent, channels], row-major.
struct WindowShape {
  Extent batch = 1;
  WindowLine rows, columns;
  Extent channels = 1;

  Extent area() const { return rows.size * columns.size; }
  Extent image() const { return rows.extent * columns.extent * channels; }
};

/// out [batch, rows.count, columns.count, channels] = the maximum of each window, its elements taken in
/// row-major order. Dilations of 1.
template <class F>
void window_maximum(const F* x, const WindowShape& shape, F* out, ThreadPool& pool);

/// The most elements of a window that window_maximum_gradient takes.
inline constexpr Extent most_window_area = 64;

/// out (the images' shape) = the adjoint of the chain of maxima, for windows that do not overlap (strides are
/// the sizes): each window's `cotangent` is multiplied by 1 for the first element that is the maximum and by
/// 0 for the others, as the derivative rule of maximum does it; what no window covers is +0.
template <class F>
void window_maximum_gradient(const F* x, const F* cotangent, const WindowShape& shape, F* out,
                             ThreadPool& pool);

/// Adds to one image `out` what the rows of windows first ... first + count - 1 hold for it: patches is
/// [count, columns.count, rows.size, columns.size, channels]. For each row of windows the sum along the
/// columns comes first, from +0, windows ascending; `out` starts at +0 and takes rows ascending.
template <class F>
void fold_window_rows(const F* patches, const WindowShape& shape, Extent first, Extent count, F* out);

template <>
void fold_window_rows(const float* patches, const WindowShape& shape, Extent first, Extent count, float* out);
template <>
void fold_window_rows(const double* patches, const WindowShape& shape, Extent first, Extent count,
                      double* out);

}  // namespace topos::kernels
