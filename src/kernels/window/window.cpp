// Windows shared out by rows of them.
#include "kernels/window.hpp"

#include <algorithm>

#include "kernels/for_ranges.hpp"
#include "kernels/window/window_kernels.hpp"

namespace topos::kernels {
namespace {

/// body(image, row of windows) for each row of windows of each image.
template <class Body>
void for_window_rows(const WindowShape& shape, ThreadPool& pool, const Body& body) {
  const Extent cost = shape.columns.count * shape.channels * shape.area();
  for_ranges(pool, shape.batch * shape.rows.count, cost, [&](Extent first, Extent last) {
    for (Extent i = first; i < last; ++i) body(i / shape.rows.count, i % shape.rows.count);
  });
}

}  // namespace

template <class F>
void window_maximum(const F* x, const WindowShape& shape, F* out, ThreadPool& pool) {
  const Extent row = shape.columns.extent * shape.channels;
  const Extent written = shape.columns.count * shape.channels;
  for_window_rows(shape, pool, [&](Extent image, Extent r) {
    window_kernels<F>().maximum(x + image * shape.image() + r * shape.rows.stride * row, shape,
                                out + (image * shape.rows.count + r) * written);
  });
}

template <class F>
void window_maximum_gradient(const F* x, const F* cotangent, const WindowShape& shape, F* out,
                             ThreadPool& pool) {
  const Extent row = shape.columns.extent * shape.channels;
  const Extent read = shape.columns.count * shape.channels;
  const Extent covered = shape.columns.count * shape.columns.size * shape.channels;  // of a row
  for_window_rows(shape, pool, [&](Extent image, Extent r) {
    const Extent at = image * shape.image() + r * shape.rows.size * row;
    window_kernels<F>().maximum_gradient(x + at, cotangent + (image * shape.rows.count + r) * read, shape,
                                         out + at);
    for (Extent h = 0; h < shape.rows.size; ++h) {
      std::fill_n(out + at + h * row + covered, row - covered, F{0});
    }
    if (r + 1 == shape.rows.count) {
      const Extent end = at + shape.rows.size * row;
      std::fill_n(out + end, (image + 1) * shape.image() - end, F{0});
    }
  });
}

template <>
void fold_window_rows(const float* patches, const WindowShape& shape, Extent first, Extent count,
                      float* out) {
  window_kernels<float>().fold_rows(patches, shape, first, count, out);
}
template <>
void fold_window_rows(const double* patches, const WindowShape& shape, Extent first, Extent count,
                      double* out) {
  window_kernels<double>().fold_rows(patches, shape, first, count, out);
}

template void window_maximum(const float*, const WindowShape&, float*, ThreadPool&);
template void window_maximum(const double*, const WindowShape&, double*, ThreadPool&);
template void window_maximum_gradient(const float*, const float*, const WindowShape&, float*, ThreadPool&);
template void window_maximum_gradient(const double*, const double*, const WindowShape&, double*, ThreadPool&);

}  // namespace topos::kernels
