// Pooling over [batch, channels, height, width], as windows.
#pragma once

#include "topos/composites/axes.hpp"

namespace topos {

namespace detail {

/// x with `padding` zeros on each side of its last two axes.
template <Recordable R>
R bordered(const R& x, Extent padding, std::string_view name, const Where& where) {
  if (padding == 0) return x;
  const Shape shape = shape_of(x, where);
  const Axis first = shape.rank() - 2;
  Extent both = 0, height = 0, width = 0;
  const bool fits = !__builtin_mul_overflow(padding, 2, &both) &&
                    !__builtin_add_overflow(shape[first], both, &height) &&
                    !__builtin_add_overflow(shape[first + 1], both, &width);
  require(fits, name, "the padding is too large", {shape}, where);
  const R rows = pad(x, first, padding, height, where);
  return pad(rows, first + 1, padding, width, where);
}

inline void require_pool(const Shape& in, Extent size, Extent stride, Extent padding, std::string_view name,
                         const Where& where) {
  require(in.rank() == 4, name, "the input must be [batch, channels, h, w]", {in}, where);
  require(size > 0 && stride > 0, name, "size and stride must be positive", {in}, where);
  require(padding >= 0 && padding <= size / 2, name,
          "the padding must not be negative, nor exceed half the size", {in}, where);
}

/// The cells of each size x size window of x as the last axis: [batch, channels, oh, ow, size * size].
template <Recordable R>
R window_lanes(const R& x, Extent size, Extent stride, const Where& where) {
  const R rows = unfold(x, 2, size, stride, 1, where);
  const R windows = unfold(rows, 4, size, stride, 1, where);
  const Shape counts = shape_of(windows, where);  // [batch, channels, oh, size, ow, size]
  const R grouped = permute(windows, {0, 1, 2, 4, 3, 5}, where);
  return reshape(grouped, Shape({counts[0], counts[1], counts[2], counts[4], size * size}), where);
}

}  // namespace detail

/// The largest element of each size x size window of x [batch, channels, h, w]: [batch, channels, oh, ow],
/// oh = (h + 2 padding - size) / stride + 1. The padding, half the size at most, never wins.
/// Each lane is compared as the left operand, so where lanes tie the gradient goes to the first of the
/// window.
template <Recordable R>
R max_pool(const R& x, Extent size, Extent stride, Extent padding = 0,
           const Where& where = Where::current()) {
  const Shape in = shape_of(x, where);
  detail::require_pool(in, size, stride, padding, "max_pool", where);
  R padded = detail::bordered(x, padding, "max_pool", where);
  if (padding > 0) {
    // log(1) = 0 inside, log(0) = -infinity on the border
    const R inside = x.constant(Shape({in[2], in[3]}), 1.0);
    const R border = log(detail::bordered(inside, padding, "max_pool", where), where);
    padded = add(padded, broadcast_to(border, shape_of(padded, where), where), where);
  }
  const R lanes = detail::window_lanes(padded, size, stride, where);
  R largest = narrow(lanes, 4, 0, 1, where);
  for (Extent k = 1; k < size * size; ++k) {
    const R lane = narrow(lanes, 4, k, 1, where);
    largest = maximum(lane, largest, where);
  }
  return reshape(largest, shape_of(lanes, where).without_axis(4), where);
}

/// The mean of each window, of the same shape; padding counts as zeros.
template <Recordable R>
R average_pool(const R& x, Extent size, Extent stride, Extent padding = 0,
               const Where& where = Where::current()) {
  detail::require_pool(shape_of(x, where), size, stride, padding, "average_pool", where);
  const R padded = detail::bordered(x, padding, "average_pool", where);
  return mean_along(detail::window_lanes(padded, size, stride, where), 4, where);
}

/// The mean of each channel: [batch, channels].
template <Recordable R>
R global_average_pool(const R& x, const Where& where = Where::current()) {
  const Shape in = shape_of(x, where);
  detail::require(in.rank() == 4, "global_average_pool", "the input must be [batch, channels, h, w]", {in},
                  where);
  return mean_along(reshape(x, Shape({in[0], in[1], in[2] * in[3]}), where), 2, where);
}

}  // namespace topos
