// A product of a patch matrix and a kernel: elsewhere, a convolution.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/windows.hpp"

namespace topos {

/// MatMul of the patch matrix of `windows` [batch * counts, channels * sizes] and a kernel
/// [channels * sizes, filters].
struct WindowProduct {
  static constexpr std::string_view name = "WindowProduct";
  Windows windows;
  NodeIndex kernel = 0;

  static std::optional<WindowProduct> match(const MatchContext& context, NodeIndex root, PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {windows.source, kernel}; }

  template <class Writer>
  void spell(Writer& out) const {
    const Extent filters = out.shape_of(kernel)[1];
    const Shape kernel_shape({windows.channels, windows.axes[0].size, windows.axes[1].size, filters});
    const Shape product_shape({windows.batch, windows.counts[0], windows.counts[1], filters});
    const std::string weights =
        out.reshape("_kernel", out.name_of(kernel), out.shape_of(kernel), kernel_shape);
    const bool dilated = windows.axes[0].dilation != 1 || windows.axes[1].dilation != 1;
    const std::string dilation =
        dilated ? ", rhs_dilate = " +
                      detail::list_of(windows, [](const WindowAxis& axis) { return axis.dilation; })
                : "";
    const std::string product = out.define_rounded(
        "_windows", "_accumulated",
        fmt::format(
            "stablehlo.convolution({}, {}) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = "
            "{{stride = {}, pad = [[{}, {}], [{}, {}]]{}}} {{batch_group_count = 1 : i64, "
            "feature_group_count = 1 : i64}} : ({}, {}) -> {}",
            out.name_of(windows.source), weights,
            detail::list_of(windows, [](const WindowAxis& axis) { return axis.stride; }),
            windows.axes[0].pad_low, windows.axes[0].pad_high, windows.axes[1].pad_low,
            windows.axes[1].pad_high, dilation, out.type(out.shape_of(windows.source)),
            out.type(kernel_shape), out.accumulator_type(product_shape)),
        product_shape);
    out.reshape("", product, product_shape, out.result_shape());
  }
};

}  // namespace topos
