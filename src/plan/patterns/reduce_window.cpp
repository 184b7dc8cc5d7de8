#include "topos/plan/patterns/reduce_window.hpp"

#include <algorithm>

#include "topos/ops/maximum.hpp"
#include "topos/ops/narrow.hpp"
#include "topos/ops/reshape.hpp"

namespace topos {
namespace {

/// The lane that a Narrow takes, if it takes exactly one.
std::optional<Extent> lane_of(const MatchContext& context, NodeIndex index) {
  const Narrow* narrow = context.get_if<Narrow>(index);
  if (!narrow || narrow->axis != 4 || narrow->length != 1) return std::nullopt;
  return narrow->start;
}

/// Descends from `top`, appending lanes and maxima from the last to the first.
void descend(const MatchContext& context, NodeIndex top, detail::LaneMaxima& found) {
  NodeIndex index = top;
  std::optional<Extent> expected;  // stops at once where the chain is not one of lanes
  while (context.is<Maximum>(index)) {
    // One operand is a lane, the other the maximum of the lanes before it; the first two lanes are both
    // lanes.
    const NodeIndex left = context.operand(index, 0);
    const NodeIndex right = context.operand(index, 1);
    const std::optional<Extent> left_lane = lane_of(context, left);
    const bool lane_is_left = left_lane && (!lane_of(context, right) || *left_lane != 0);
    const std::optional<Extent> lane = lane_of(context, lane_is_left ? left : right);
    if (!lane || (expected && *lane != *expected)) break;
    expected = *lane - 1;
    found.maximum.push_back(index);
    found.lane.push_back(lane_is_left ? left : right);
    index = lane_is_left ? right : left;
  }
  found.maximum.push_back(index);
  found.lane.push_back(index);
}

/// Puts lanes in order and checks that they are all the lanes of one set of windows.
std::optional<detail::LaneMaxima> complete(const MatchContext& context, detail::LaneMaxima found,
                                           PatternMatch& match) {
  std::reverse(found.maximum.begin(), found.maximum.end());
  std::reverse(found.lane.begin(), found.lane.end());
  for (std::size_t k = 0; k < found.lane.size(); ++k) {
    if (lane_of(context, found.lane[k]) != static_cast<Extent>(k)) return std::nullopt;
    if (context.operand(found.lane[k]) != context.operand(found.lane[0])) return std::nullopt;
  }
  const std::optional<Windows> windows = detail::match_lanes(context, context.operand(found.lane[0]), match);
  if (!windows || windows->area() != static_cast<Extent>(found.lane.size())) return std::nullopt;
  found.windows = *windows;
  match.interiors.insert(match.interiors.end(), found.lane.begin(), found.lane.end());
  match.interiors.insert(match.interiors.end(), found.maximum.begin(), found.maximum.end());
  return found;
}

}  // namespace

std::optional<detail::LaneMaxima> detail::match_lane_maxima(const MatchContext& context, NodeIndex top,
                                                            PatternMatch& match) {
  if (context.shape(top).rank() != 5) return std::nullopt;
  detail::LaneMaxima found;
  descend(context, top, found);
  return complete(context, std::move(found), match);
}

std::optional<detail::LaneMaxima> detail::match_lane_maxima(const MatchContext& context, NodeIndex earlier,
                                                            NodeIndex lane, PatternMatch& match) {
  if (context.shape(earlier).rank() != 5) return std::nullopt;
  detail::LaneMaxima found;
  found.lane.push_back(lane);
  descend(context, earlier, found);
  return complete(context, std::move(found), match);
}

std::optional<ReduceWindow> ReduceWindow::match(const MatchContext& context, NodeIndex root,
                                                PatternMatch& match) {
  if (!context.is<Reshape>(root) || context.shape(root).rank() != 4) return std::nullopt;
  const NodeIndex top = context.operand(root);
  const Shape& shape = context.shape(top);
  if (shape.rank() != 5 || shape[4] != 1 || shape.without_axis(4) != context.shape(root)) return std::nullopt;
  const std::optional<detail::LaneMaxima> maxima = detail::match_lane_maxima(context, top, match);
  if (!maxima) return std::nullopt;
  return ReduceWindow{maxima->windows};
}

}  // namespace topos
