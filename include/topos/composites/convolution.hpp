// Convolution and pooling over [batch, channels, height, width], as windows.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// Convolution of x [batch, channels, h, w] with weights [filters, channels, kh, kw] and bias [filters]:
/// [batch, filters, oh, ow], oh = (h + 2 padding - dilation (kh - 1) - 1) / stride + 1. A product of the
/// patch matrix and the kernel; the patches are views until the product reads them.
template <Recordable R>
R conv2d(const R& x, const R& weights, const R& bias, Extent stride, Extent padding, Extent dilation = 1,
         const Where& where = Where::current()) {
  const Shape in = shape_of(x, where);
  const Shape kernel = shape_of(weights, where);
  detail::require(in.rank() == 4 && kernel.rank() == 4, "conv2d",
                  "the input must be [batch, channels, h, w] and the weights [filters, channels, kh, kw]",
                  {in, kernel}, where);
  detail::require(in[1] == kernel[1], "conv2d", "input and weights must have the same channels", {in, kernel},
                  where);
  detail::require(shape_of(bias, where) == Shape({kernel[0]}), "conv2d",
                  "the bias must have one element per filter", {kernel, shape_of(bias, where)}, where);
  detail::require(stride > 0 && padding >= 0 && dilation > 0, "conv2d",
                  "stride and dilation must be positive and padding not negative", {in, kernel}, where);
  Extent both = 0, height = 0, width = 0;
  const bool fits = !__builtin_mul_overflow(padding, 2, &both) &&
                    !__builtin_add_overflow(in[2], both, &height) &&
                    !__builtin_add_overflow(in[3], both, &width);
  detail::require(fits, "conv2d", "the padding is too large", {in, kernel}, where);
  R padded = x;
  if (padding > 0) {
    padded = pad(padded, 2, padding, height, where);
    padded = pad(padded, 3, padding, width, where);
  }
  const R rows = unfold(padded, 2, kernel[2], stride, dilation, where);
  const R windows = unfold(rows, 4, kernel[3], stride, dilation, where);
  const Shape counts = shape_of(windows, where);  // [batch, channels, oh, kh, ow, kw]
  const Extent positions = in[0] * counts[2] * counts[4];
  const Extent depth = in[1] * kernel[2] * kernel[3];
  const R gathered = permute(windows, {0, 2, 4, 1, 3, 5}, where);
  const R patches = reshape(gathered, Shape({positions, depth}), where);
  const R kernel_last = permute(weights, {1, 2, 3, 0}, where);
  const R matrix = reshape(kernel_last, Shape({depth, kernel[0]}), where);
  const R product = matmul(patches, matrix, where);
  const R spread = broadcast_along(bias, 0, positions, where);
  const R biased = add(product, spread, where);
  const R grid = reshape(biased, Shape({in[0], counts[2], counts[4], kernel[0]}), where);
  return permute(grid, {0, 3, 1, 2}, where);
}

/// The largest element of each size x size window of x [batch, channels, h, w]: [batch, channels, oh, ow].
/// Each lane is compared as the left operand, so where lanes tie the gradient goes to the first of the
/// window.
template <Recordable R>
R max_pool(const R& x, Extent size, Extent stride, const Where& where = Where::current()) {
  const Shape in = shape_of(x, where);
  detail::require(in.rank() == 4, "max_pool", "the input must be [batch, channels, h, w]", {in}, where);
  detail::require(size > 0 && stride > 0, "max_pool", "size and stride must be positive", {in}, where);
  const R rows = unfold(x, 2, size, stride, 1, where);
  const R windows = unfold(rows, 4, size, stride, 1, where);
  const Shape counts = shape_of(windows, where);  // [batch, channels, oh, size, ow, size]
  const R grouped = permute(windows, {0, 1, 2, 4, 3, 5}, where);
  const R lanes = reshape(grouped, Shape({in[0], in[1], counts[2], counts[4], size * size}), where);
  R largest = narrow(lanes, 4, 0, 1, where);
  for (Extent k = 1; k < size * size; ++k) {
    const R lane = narrow(lanes, 4, k, 1, where);
    largest = maximum(lane, largest, where);
  }
  return reshape(largest, Shape({in[0], in[1], counts[2], counts[4]}), where);
}

}  // namespace topos
