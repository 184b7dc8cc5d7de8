// The gradient of a maximum over windows: elsewhere, a select_and_scatter.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/reduce_window.hpp"

namespace topos {

/// The folds of the lanes' cotangents, which the chain of maxima hands to the first lane that wins. A window
/// that holds a NaN has the maximum NaN; which lane then gets the cotangent is not the same here and there.
struct ReduceWindowGradient {
  static constexpr std::string_view name = "ReduceWindowGradient";
  Windows windows;          ///< of the source
  NodeIndex cotangent = 0;  ///< [batch, channels, counts, 1]

  static std::optional<ReduceWindowGradient> match(const MatchContext& context, NodeIndex root,
                                                   PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {windows.source, cotangent}; }

  template <class Writer>
  void spell(Writer& out) const {
    const Shape& source_shape = out.shape_of(windows.source);
    const Shape counts({windows.batch, windows.channels, windows.counts[0], windows.counts[1]});
    const std::string reshaped =
        out.reshape("_cotangent", out.name_of(cotangent), out.shape_of(cotangent), counts);
    const std::string scattered = out.promoted("_cotangent", reshaped, counts);
    const std::string source = out.promoted("_source", out.name_of(windows.source), source_shape);
    const std::string zero = out.accumulator_splat("_zero", Shape(), out.zero());
    const std::string scalar = out.accumulator_type(Shape());
    const std::string result = out.accumulator_type(out.result_shape());
    const std::string select = fmt::format(
        "    ^bb0({0}: {3}, {1}: {3}):\n"
        "      {2} = stablehlo.compare GE, {0}, {1}, FLOAT : ({3}, {3}) -> {4}\n"
        "      stablehlo.return {2} : {4}\n",
        out.local("_left"), out.local("_right"), out.local("_wins"), scalar, out.predicate_type(Shape()));
    const std::string scatter = fmt::format(
        "    ^bb0({0}: {3}, {1}: {3}):\n"
        "      {2} = stablehlo.add {0}, {1} : {3}\n"
        "      stablehlo.return {2} : {3}\n",
        out.local("_total"), out.local("_share"), out.local("_sum"), scalar);
    out.define_rounded(
        "", "_accumulated",
        fmt::format(
            "\"stablehlo.select_and_scatter\"({}, {}, {}) ({{\n{}    }}, {{\n{}    }}) "
            "{{window_dimensions = array<i64: 1, 1, {}, {}>, window_strides = array<i64: 1, 1, {}, {}>}} "
            ": ({}, {}, {}) -> {}",
            source, scattered, zero, select, scatter, windows.axes[0].size, windows.axes[1].size,
            windows.axes[0].stride, windows.axes[1].stride, result, out.accumulator_type(counts), scalar,
            result),
        out.result_shape());
  }
};

}  // namespace topos
