// The maximum over windows: elsewhere, a reduce_window.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/windows.hpp"

namespace topos {

namespace detail {

/// The chain of maxima over the lanes of windows, lane by lane: the forward half of a max pool.
struct LaneMaxima {
  Windows windows;                 ///< of the source
  std::vector<NodeIndex> lane;     ///< by lane: its Narrow
  std::vector<NodeIndex> maximum;  ///< by lane: the maximum of lanes 0 ... k, lane 0 being its own
};

/// Matches the chain that ends in `top`, [batch, channels, counts, 1].
std::optional<LaneMaxima> match_lane_maxima(const MatchContext& context, NodeIndex top, PatternMatch& match);
/// Matches the chain whose last maximum, of `earlier` lanes and the last `lane`, need not exist itself.
std::optional<LaneMaxima> match_lane_maxima(const MatchContext& context, NodeIndex earlier, NodeIndex lane,
                                            PatternMatch& match);

}  // namespace detail

/// Reshape to [batch, channels, counts] of the chain of maxima over all lanes.
struct ReduceWindow {
  static constexpr std::string_view name = "ReduceWindow";
  Windows windows;  ///< of the source

  static std::optional<ReduceWindow> match(const MatchContext& context, NodeIndex root, PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {windows.source}; }

  template <class Writer>
  void spell(Writer& out) const {
    const std::string scalar = out.type(Shape());
    const std::string seed = out.splat("_seed", Shape(), out.negative_infinity());
    out.line(fmt::format("{} = \"stablehlo.reduce_window\"({}, {}) ({{", out.local(""),
                         out.name_of(windows.source), seed));
    out.line(fmt::format("^bb0({0}: {2}, {1}: {2}):", out.local("_left"), out.local("_right"), scalar));
    out.line(fmt::format("{} = stablehlo.maximum {}, {} : {}", out.local("_larger"), out.local("_left"),
                         out.local("_right"), scalar),
             2);
    out.line(fmt::format("stablehlo.return {} : {}", out.local("_larger"), scalar), 2);
    out.line(fmt::format(
        "}}) {{window_dimensions = array<i64: 1, 1, {}, {}>, window_strides = array<i64: 1, 1, {}, "
        "{}>}} : ({}, {}) -> {}",
        windows.axes[0].size, windows.axes[1].size, windows.axes[0].stride, windows.axes[1].stride,
        out.type(out.shape_of(windows.source)), scalar, out.type(out.result_shape())));
    out.alias(out.local(""));
  }
};

}  // namespace topos
