// The kernel's gradient of a window product: elsewhere, a convolution of the source with the cotangent.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/windows.hpp"

namespace topos {

/// MatMul of the transposed patch matrix [channels * sizes, batch * counts] and a cotangent
/// [batch * counts, filters]: the cotangent slides over the source, batch being summed like a feature.
struct WindowProductKernelGradient {
  static constexpr std::string_view name = "WindowProductKernelGradient";
  Windows windows;  ///< of the source
  NodeIndex cotangent = 0;

  static std::optional<WindowProductKernelGradient> match(const MatchContext& context, NodeIndex root,
                                                          PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {windows.source, cotangent}; }

  template <class Writer>
  void spell(Writer& out) const {
    const Extent filters = out.shape_of(cotangent)[1];
    const Shape cotangent_shape({windows.batch, windows.counts[0], windows.counts[1], filters});
    const Shape kernel_shape({windows.channels, windows.axes[0].size, windows.axes[1].size, filters});
    const std::string slid =
        out.reshape("_cotangent", out.name_of(cotangent), out.shape_of(cotangent), cotangent_shape);
    // Where the stride leaves source elements unused, the padding above is negative: they take no part.
    std::array<Extent, 2> high{};
    for (std::size_t i = 0; i < 2; ++i) {
      const WindowAxis& axis = windows.axes[i];
      const Extent source = out.shape_of(windows.source)[static_cast<Axis>(i) + 2];
      high[i] =
          axis.dilation * (axis.size - 1) + axis.stride * (windows.counts[i] - 1) + 1 - source - axis.pad_low;
    }
    const std::string kernel = out.define_rounded(
        "_kernel", "_accumulated",
        fmt::format(
            "stablehlo.convolution({}, {}) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = "
            "{{stride = {}, pad = [[{}, {}], [{}, {}]], rhs_dilate = {}}} {{batch_group_count = 1 : i64, "
            "feature_group_count = 1 : i64}} : ({}, {}) -> {}",
            out.name_of(windows.source), slid,
            detail::list_of(windows, [](const WindowAxis& axis) { return axis.dilation; }),
            windows.axes[0].pad_low, high[0], windows.axes[1].pad_low, high[1],
            detail::list_of(windows, [](const WindowAxis& axis) { return axis.stride; }),
            out.type(out.shape_of(windows.source)), out.type(cotangent_shape),
            out.accumulator_type(kernel_shape)),
        kernel_shape);
    out.reshape("", kernel, kernel_shape, out.result_shape());
  }
};

}  // namespace topos
