// The source's gradient of a window product: elsewhere, a convolution of the dilated cotangent with the
// reversed kernel.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/windows.hpp"

namespace topos {

/// Fold along 2 of Fold along 4 of the un-permuted patch gradient, which is the product of a cotangent
/// [batch * counts, filters] and the transposed kernel; the accumulation's zeros stand between.
struct WindowProductInputGradient {
  static constexpr std::string_view name = "WindowProductInputGradient";
  Windows windows;  ///< of the folded result; no padding, the result is the padded source's gradient
  NodeIndex cotangent = 0;
  NodeIndex kernel = 0;

  static std::optional<WindowProductInputGradient> match(const MatchContext& context, NodeIndex root,
                                                         PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {cotangent, kernel}; }

  template <class Writer>
  void spell(Writer& out) const {
    const Extent filters = out.shape_of(kernel)[1];
    const Shape cotangent_shape({windows.batch, windows.counts[0], windows.counts[1], filters});
    const Shape kernel_shape({windows.channels, windows.axes[0].size, windows.axes[1].size, filters});
    const std::string slid =
        out.reshape("_cotangent", out.name_of(cotangent), out.shape_of(cotangent), cotangent_shape);
    const std::string weights =
        out.reshape("_kernel", out.name_of(kernel), out.shape_of(kernel), kernel_shape);
    const std::string reversed =
        out.define("_reversed",
                   fmt::format("stablehlo.reverse {}, dims = [1, 2] : {}", weights, out.type(kernel_shape)));
    std::array<Extent, 2> low{}, high{};
    for (std::size_t i = 0; i < 2; ++i) {
      const WindowAxis& axis = windows.axes[i];
      low[i] = axis.dilation * (axis.size - 1);
      high[i] = out.result_shape()[static_cast<Axis>(i) + 2] - (axis.stride * (windows.counts[i] - 1) + 1);
    }
    out.define_rounded(
        "", "_accumulated",
        fmt::format(
            "stablehlo.convolution({}, {}) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = "
            "{{stride = [1, 1], pad = [[{}, {}], [{}, {}]], lhs_dilate = {}, rhs_dilate = {}}} "
            "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({}, {}) -> {}",
            slid, reversed, low[0], high[0], low[1], high[1],
            detail::list_of(windows, [](const WindowAxis& axis) { return axis.stride; }),
            detail::list_of(windows, [](const WindowAxis& axis) { return axis.dilation; }),
            out.type(cotangent_shape), out.type(kernel_shape), out.accumulator_type(out.result_shape())),
        out.result_shape());
  }
};

}  // namespace topos
