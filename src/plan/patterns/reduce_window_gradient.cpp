#include "topos/plan/patterns/reduce_window_gradient.hpp"

#include "topos/ops/add.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/pad.hpp"
#include "topos/ops/step.hpp"
#include "topos/ops/subtract.hpp"

namespace topos {
namespace {

/// The cotangent of each lane, from the sum of their pads: Add(... Add(zero, Pad of the last lane) ..., Pad
/// of lane 0).
std::optional<std::vector<NodeIndex>> match_lane_cotangents(const MatchContext& context, NodeIndex total,
                                                            std::size_t lanes, PatternMatch& match) {
  std::vector<NodeIndex> cotangents;
  for (std::size_t k = 0; k < lanes; ++k) {
    NodeIndex padded = 0;
    if (k + 1 == lanes) {
      const std::optional<NodeIndex> first = detail::match_first_contribution(context, total, match);
      if (!first) return std::nullopt;
      padded = *first;
    } else {
      if (!context.is<Add>(total)) return std::nullopt;
      match.interiors.push_back(total);
      padded = context.operand(total, 1);
      total = context.operand(total, 0);
    }
    const Pad* pad = context.get_if<Pad>(padded);
    const bool is_lane = pad && pad->axis == 4 && pad->start == static_cast<Extent>(k) &&
                         pad->full_extent == static_cast<Extent>(lanes) &&
                         context.shape(context.operand(padded))[4] == 1;
    if (!is_lane) return std::nullopt;
    match.interiors.push_back(padded);
    cotangents.push_back(context.operand(padded));
  }
  return cotangents;
}

/// share = Add(zero, Mul(cotangent, weight)); returns {cotangent, weight}.
std::optional<std::array<NodeIndex, 2>> match_share(const MatchContext& context, NodeIndex share,
                                                    PatternMatch& match) {
  const std::optional<NodeIndex> product = detail::match_first_contribution(context, share, match);
  if (!product || !context.is<Multiply>(*product)) return std::nullopt;
  match.interiors.push_back(*product);
  return std::array{context.operand(*product, 0), context.operand(*product, 1)};
}

/// The derivative rule of Maximum at lane k: `lane_share` gets the cotangent where the lane wins,
/// `rest_share` where an earlier one does. Returns the cotangent and {maximum of the earlier lanes, lane}.
struct MaximumRule {
  NodeIndex cotangent;
  NodeIndex earlier;
  NodeIndex lane;
};
std::optional<MaximumRule> match_maximum_rule(const MatchContext& context, NodeIndex lane_share,
                                              NodeIndex rest_share, PatternMatch& match) {
  const auto lane = match_share(context, lane_share, match);
  const auto rest = match_share(context, rest_share, match);
  if (!lane || !rest || (*lane)[0] != (*rest)[0]) return std::nullopt;
  const NodeIndex complement = (*lane)[1];
  const NodeIndex earlier_wins = (*rest)[1];
  if (!context.is<Subtract>(complement) || !context.is<Step>(earlier_wins)) return std::nullopt;
  const NodeIndex ones = context.operand(complement, 0);
  if (context.operand(complement, 1) != earlier_wins || !context.is<Leaf>(ones) ||
      !context.leaf_is_filled_with(ones, 1.0)) {
    return std::nullopt;
  }
  match.interiors.insert(match.interiors.end(), {complement, earlier_wins, ones});
  return MaximumRule{(*lane)[0], context.operand(earlier_wins, 0), context.operand(earlier_wins, 1)};
}

}  // namespace

std::optional<ReduceWindowGradient> ReduceWindowGradient::match(const MatchContext& context, NodeIndex root,
                                                                PatternMatch& match) {
  const std::optional<Windows> folds = detail::match_folds(context, root, {0, 1, 2, 4, 3, 5}, match);
  if (!folds || folds->axes[0].dilation != 1 || folds->axes[1].dilation != 1) return std::nullopt;
  const auto lanes = static_cast<std::size_t>(folds->area());
  if (context.shape(folds->source).rank() != 5 || lanes < 2) return std::nullopt;
  const auto cotangents = match_lane_cotangents(context, folds->source, lanes, match);
  if (!cotangents) return std::nullopt;

  std::vector<MaximumRule> rules;
  NodeIndex rest_share = (*cotangents)[0];
  for (std::size_t k = 1; k < lanes; ++k) {
    const auto rule = match_maximum_rule(context, (*cotangents)[k], rest_share, match);
    if (!rule) return std::nullopt;
    rest_share = rule->cotangent;
    rules.push_back(*rule);
  }
  // The chain that the rules saw names the lanes, and through them the source.
  const std::optional<detail::LaneMaxima> maxima =
      detail::match_lane_maxima(context, rules.back().earlier, rules.back().lane, match);
  if (!maxima || maxima->windows.counts != folds->counts) return std::nullopt;
  for (std::size_t k = 1; k < lanes; ++k) {
    if (rules[k - 1].earlier != maxima->maximum[k - 1] || rules[k - 1].lane != maxima->lane[k])
      return std::nullopt;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (maxima->windows.axes[i].size != folds->axes[i].size ||
        maxima->windows.axes[i].stride != folds->axes[i].stride) {
      return std::nullopt;
    }
  }
  if (context.shape(maxima->windows.source) != context.shape(root)) return std::nullopt;
  return ReduceWindowGradient{maxima->windows, rest_share};
}

}  // namespace topos
