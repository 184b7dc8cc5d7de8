// Convolution over [batch, channels, height, width], as windows.
#pragma once

#include "topos/composites/pooling.hpp"

namespace topos {

namespace detail {

/// What weights and options must be for any input at all.
inline void require_kernel(const Shape& kernel, const Shape& bias, Extent stride, Extent padding,
                           Extent dilation, Extent groups, std::string_view name, const Where& where) {
  require(kernel.rank() == 4, name, "the weights must be [filters, channels / groups, kh, kw]", {kernel},
          where);
  require(stride > 0 && padding >= 0 && dilation > 0, name,
          "stride and dilation must be positive and padding not negative", {kernel}, where);
  require(groups > 0 && kernel[0] % groups == 0, name, "groups must divide the filters", {kernel}, where);
  require(bias == Shape({kernel[0]}), name, "the bias must have one element per filter", {kernel, bias},
          where);
}

/// conv2d of several groups: the same product, with the groups as its leading axis.
template <Recordable R>
R grouped_convolution(const R& windows, const R& weights, const R& bias, Extent groups, const Where& where) {
  const Shape counts = shape_of(windows, where);  // [batch, channels, oh, kh, ow, kw]
  const Shape kernel = shape_of(weights, where);
  const Extent channels = kernel[1], filters = kernel[0] / groups;
  const Extent positions = counts[0] * counts[2] * counts[4];
  const Extent depth = channels * kernel[2] * kernel[3];
  const R parted = reshape(
      windows, Shape({counts[0], groups, channels, counts[2], counts[3], counts[4], counts[5]}), where);
  const R gathered = permute(parted, {1, 0, 3, 5, 2, 4, 6}, where);
  const R patches = reshape(gathered, Shape({groups, positions, depth}), where);
  const R kernels = reshape(weights, Shape({groups, filters, depth}), where);
  const R matrices = permute(kernels, {0, 2, 1}, where);
  const R product = matmul(patches, matrices, where);
  const R parted_bias = reshape(bias, Shape({groups, filters}), where);
  const R spread = broadcast_along(parted_bias, 1, positions, where);
  const R biased = add(product, spread, where);
  const R grid = reshape(biased, Shape({groups, counts[0], counts[2], counts[4], filters}), where);
  const R channels_first = permute(grid, {1, 0, 4, 2, 3}, where);
  return reshape(channels_first, Shape({counts[0], kernel[0], counts[2], counts[4]}), where);
}

}  // namespace detail

/// Convolution of x [batch, channels, h, w] with weights [filters, channels / groups, kh, kw] and bias
/// [filters]: [batch, filters, oh, ow], oh = (h + 2 padding - dilation (kh - 1) - 1) / stride + 1. A product
/// of the patch matrix and the kernel; the patches are views until the product reads them. Filters and
/// channels fall into `groups` equal runs, and each run of filters reads its own run of channels.
template <Recordable R>
R conv2d(const R& x, const R& weights, const R& bias, Extent stride, Extent padding, Extent dilation = 1,
         Extent groups = 1, const Where& where = Where::current()) {
  const Shape in = shape_of(x, where);
  const Shape kernel = shape_of(weights, where);
  detail::require_kernel(kernel, shape_of(bias, where), stride, padding, dilation, groups, "conv2d", where);
  detail::require(in.rank() == 4, "conv2d", "the input must be [batch, channels, h, w]", {in, kernel}, where);
  detail::require(in[1] % groups == 0 && in[1] / groups == kernel[1], "conv2d",
                  "the weights must have the channels of the input, or of one group", {in, kernel}, where);
  const R padded = detail::bordered(x, padding, "conv2d", where);
  const R rows = unfold(padded, 2, kernel[2], stride, dilation, where);
  const R windows = unfold(rows, 4, kernel[3], stride, dilation, where);
  if (groups > 1) return detail::grouped_convolution(windows, weights, bias, groups, where);
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

}  // namespace topos
