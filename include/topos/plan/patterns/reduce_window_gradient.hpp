// The gradient of a maximum over windows: elsewhere, a select_and_scatter.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/reduce_window.hpp"

namespace topos {

/// The folds of the lanes' cotangents, which the chain of maxima hands to the first lane that wins. A window
/// that holds a NaN has the maximum NaN; which lane then gets the cotangent is not the same here and there.
struct ReduceWindowGradient {
  static constexpr std::string_view name = "ReduceWindowGradient";
  Windows windows;
  NodeIndex cotangent = 0;  ///< [batch, channels, counts, 1]

  static std::optional<ReduceWindowGradient> match(const MatchContext& context, NodeIndex root,
                                                   PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {windows.source, cotangent}; }

  template <class Writer>
  void spell(Writer& out) const {
    const std::string scalar = out.type(Shape());
    const Shape counts({windows.batch, windows.channels, windows.counts[0], windows.counts[1]});
    const std::string scattered =
        out.reshape("_cotangent", out.name_of(cotangent), out.shape_of(cotangent), counts);
    const std::string zero = out.splat("_zero", Shape(), out.zero());
    out.line(fmt::format("{} = \"stablehlo.select_and_scatter\"({}, {}, {}) ({{", out.local(""),
                         out.name_of(windows.source), scattered, zero));
    out.line(fmt::format("^bb0({0}: {2}, {1}: {2}):", out.local("_left"), out.local("_right"), scalar));
    out.line(
        fmt::format("{} = stablehlo.compare GE, {}, {}, FLOAT : ({}, {}) -> {}", out.local("_wins"),
                    out.local("_left"), out.local("_right"), scalar, scalar, out.predicate_type(Shape())),
        2);
    out.line(fmt::format("stablehlo.return {} : {}", out.local("_wins"), out.predicate_type(Shape())), 2);
    out.line("}, {");
    out.line(fmt::format("^bb0({0}: {2}, {1}: {2}):", out.local("_total"), out.local("_share"), scalar));
    out.line(fmt::format("{} = stablehlo.add {}, {} : {}", out.local("_sum"), out.local("_total"),
                         out.local("_share"), scalar),
             2);
    out.line(fmt::format("stablehlo.return {} : {}", out.local("_sum"), scalar), 2);
    out.line(fmt::format(
        "}}) {{window_dimensions = array<i64: 1, 1, {}, {}>, window_strides = array<i64: 1, 1, {}, "
        "{}>}} : ({}, {}, {}) -> {}",
        windows.axes[0].size, windows.axes[1].size, windows.axes[0].stride, windows.axes[1].stride,
        out.type(out.result_shape()), out.type(counts), scalar, out.type(out.result_shape())));
    out.alias(out.local(""));
  }
};

}  // namespace topos
