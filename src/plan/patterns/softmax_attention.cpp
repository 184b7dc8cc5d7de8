#include "topos/plan/patterns/softmax_attention.hpp"

#include <algorithm>

#include "topos/ops/add.hpp"
#include "topos/ops/divide.hpp"
#include "topos/ops/exp.hpp"
#include "topos/ops/log_softmax.hpp"
#include "topos/ops/matmul.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/subtract.hpp"

namespace topos {
namespace {

/// Down the left operands, and the right ones where the order does not matter, to the product of queries and
/// keys.
std::optional<NodeIndex> descend(const MatchContext& context, NodeIndex scores,
                                 std::vector<SoftmaxAttention::Link>& links) {
  constexpr std::size_t most_links = 4;
  if (context.is<MatMul>(scores)) return scores;
  const bool commutes = context.is<Add>(scores) || context.is<Multiply>(scores);
  if (links.size() == most_links || !(commutes || context.is<Subtract>(scores) || context.is<Divide>(scores)))
    return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    if (side == 1 && !commutes) break;
    links.push_back({scores, context.operand(scores, 1 - side)});
    if (const auto product = descend(context, context.operand(scores, side), links)) return product;
    links.pop_back();
  }
  return std::nullopt;
}

}  // namespace

std::optional<SoftmaxAttention> SoftmaxAttention::match(const MatchContext& context, NodeIndex root,
                                                        PatternMatch& match) {
  if (!context.is<MatMul>(root)) return std::nullopt;
  SoftmaxAttention found;
  NodeIndex weights = context.operand(root);
  if (context.is<Multiply>(weights)) {
    const std::size_t side = context.is<Exp>(context.operand(weights, 0)) ? 0 : 1;
    match.interiors.push_back(weights);
    found.factor = context.operand(weights, 1 - side);
    weights = context.operand(weights, side);
  }
  if (!context.is<Exp>(weights)) return std::nullopt;
  const NodeIndex logarithms = context.operand(weights);
  const LogSoftmax* softmax = context.get_if<LogSoftmax>(logarithms);
  if (!softmax || softmax->axis != context.shape(logarithms).rank() - 1) return std::nullopt;
  const auto product = descend(context, context.operand(logarithms), found.links);
  if (!product) return std::nullopt;
  std::reverse(found.links.begin(), found.links.end());  // as they are computed
  found.queries = context.operand(*product, 0);
  found.keys = context.operand(*product, 1);
  found.values = context.operand(root, 1);
  match.interiors.insert(match.interiors.end(), {weights, logarithms, *product});
  for (const Link& link : found.links) match.interiors.push_back(link.node);
  return found;
}

}  // namespace topos
