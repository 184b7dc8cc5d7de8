// Attention: the scores of queries and keys become weights of values. StableHLO has no operation for it.
#pragma once

#include <optional>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

/// MatMul(Exp(LogSoftmax along the last axis of scores), values), where the scores are MatMul(queries, keys)
/// scaled and masked: up to four additions, subtractions, multiplications or divisions of them with values
/// that do not depend on them. The weights may be multiplied by a factor before they meet the values.
struct SoftmaxAttention {
  static constexpr std::string_view name = "SoftmaxAttention";
  /// One operation on the scores: with `operand` on the right, or on the left where the order does not
  /// matter.
  struct Link {
    NodeIndex node = 0;     ///< the operation
    NodeIndex operand = 0;  ///< its operand besides the scores
  };
  NodeIndex queries = 0;            ///< [..., queries, width]
  NodeIndex keys = 0;               ///< [..., width, keys]
  NodeIndex values = 0;             ///< [..., keys, columns]
  std::vector<Link> links;          ///< as they are computed
  std::optional<NodeIndex> factor;  ///< [..., queries, keys]

  static std::optional<SoftmaxAttention> match(const MatchContext& context, NodeIndex root,
                                               PatternMatch& match);
  std::vector<NodeIndex> reads() const {
    std::vector<NodeIndex> nodes{queries, keys, values};
    for (const Link& link : links) nodes.push_back(link.operand);
    if (factor) nodes.push_back(*factor);
    return nodes;
  }
};

}  // namespace topos
