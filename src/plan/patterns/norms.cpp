#include "topos/ops/add.hpp"
#include "topos/ops/broadcast.hpp"
#include "topos/ops/broadcast_along.hpp"
#include "topos/ops/divide.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/sqrt.hpp"
#include "topos/ops/subtract.hpp"
#include "topos/ops/sum_along.hpp"
#include "topos/plan/patterns/batch_norm_inference.hpp"
#include "topos/plan/patterns/batch_norm_training.hpp"
#include "topos/plan/patterns/layer_norm.hpp"

namespace topos {
namespace {

/// An interior that must be an Op: its operand at `position`.
template <class Op>
std::optional<NodeIndex> step_down(const MatchContext& context, NodeIndex node, std::size_t position,
                                   PatternMatch& match) {
  if (!context.is<Op>(node)) return std::nullopt;
  match.interiors.push_back(node);
  return context.operand(node, position);
}

/// BroadcastAlong the axis: what is repeated.
std::optional<NodeIndex> repeated(const MatchContext& context, NodeIndex node, Axis axis,
                                  PatternMatch& match) {
  const BroadcastAlong* along = context.get_if<BroadcastAlong>(node);
  if (!along || along->axis != axis) return std::nullopt;
  match.interiors.push_back(node);
  return context.operand(node);
}

/// Divide(SumAlong(x, axis), a leaf that counts its extent): x.
std::optional<NodeIndex> averaged(const MatchContext& context, NodeIndex node, Axis axis,
                                  PatternMatch& match) {
  if (!context.is<Divide>(node)) return std::nullopt;
  const NodeIndex sum = context.operand(node, 0);
  const NodeIndex count = context.operand(node, 1);
  const SumAlong* along = context.get_if<SumAlong>(sum);
  if (!along || along->axis != axis || !context.is<Leaf>(count)) return std::nullopt;
  const NodeIndex x = context.operand(sum);
  if (!context.leaf_is_filled_with(count, static_cast<double>(context.shape(x)[axis]))) return std::nullopt;
  match.interiors.insert(match.interiors.end(), {sum, count});
  return x;
}

}  // namespace

std::optional<NormTail> detail::match_norm_tail(const MatchContext& context, NodeIndex root, Axis axis,
                                                PatternMatch& match) {
  if (!context.is<Add>(root) || context.shape(root).rank() != 2) return std::nullopt;
  const auto shift = repeated(context, context.operand(root, 1), 0, match);
  const NodeIndex scaled = context.operand(root, 0);
  const auto standard = step_down<Multiply>(context, scaled, 0, match);
  if (!shift || !standard) return std::nullopt;
  const auto scale = repeated(context, context.operand(scaled, 1), 0, match);
  const auto centered = step_down<Divide>(context, *standard, 0, match);
  if (!scale || !centered) return std::nullopt;
  const auto deviation = repeated(context, context.operand(*standard, 1), axis, match);
  if (!deviation) return std::nullopt;
  const auto sum = step_down<Sqrt>(context, *deviation, 0, match);
  if (!sum) return std::nullopt;
  const auto variance = step_down<Add>(context, *sum, 0, match);
  if (!variance) return std::nullopt;
  const auto epsilon = step_down<Broadcast>(context, context.operand(*sum, 1), 0, match);
  if (!epsilon || context.shape(*epsilon).volume() != 1) return std::nullopt;
  const auto input = step_down<Subtract>(context, *centered, 0, match);
  if (!input) return std::nullopt;
  const auto mean = repeated(context, context.operand(*centered, 1), axis, match);
  if (!mean) return std::nullopt;
  return NormTail{*input, *scale, *shift, *mean, *variance, *centered, *epsilon};
}

bool detail::match_own_statistics(const MatchContext& context, const NormTail& tail, Axis axis,
                                  PatternMatch& match) {
  if (averaged(context, tail.mean, axis, match) != tail.input) return false;
  const auto square = averaged(context, tail.variance, axis, match);
  if (!square || !context.is<Multiply>(*square) || context.operand(*square, 0) != tail.centered ||
      context.operand(*square, 1) != tail.centered)
    return false;
  match.interiors.push_back(*square);
  return true;
}

std::optional<BatchNormTraining> BatchNormTraining::match(const MatchContext& context, NodeIndex root,
                                                          PatternMatch& match) {
  const auto tail = detail::match_norm_tail(context, root, 0, match);
  if (!tail || !context.is<Leaf>(tail->epsilon) || !detail::match_own_statistics(context, *tail, 0, match))
    return std::nullopt;
  return BatchNormTraining{{*tail}};
}

std::optional<BatchNormInference> BatchNormInference::match(const MatchContext& context, NodeIndex root,
                                                            PatternMatch& match) {
  const auto tail = detail::match_norm_tail(context, root, 0, match);
  if (!tail || !context.is<Leaf>(tail->epsilon)) return std::nullopt;
  return BatchNormInference{{*tail}};
}

std::optional<RowNorm> RowNorm::match(const MatchContext& context, NodeIndex root, PatternMatch& match) {
  const auto tail = detail::match_norm_tail(context, root, 1, match);
  if (!tail || !detail::match_own_statistics(context, *tail, 1, match)) return std::nullopt;
  match.interiors.insert(match.interiors.end(), {tail->mean, tail->variance});
  return RowNorm{*tail};
}

}  // namespace topos
