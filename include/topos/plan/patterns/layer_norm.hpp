// The normalization of each row. StableHLO has no operation for it.
#pragma once

#include "topos/plan/patterns/norm_tail.hpp"

namespace topos {

/// The tail whose mean and variance are those of the input's rows. (LayerNorm is the layer of topos/nn.)
struct RowNorm {
  static constexpr std::string_view name = "LayerNorm";
  NormTail tail;

  static std::optional<RowNorm> match(const MatchContext& context, NodeIndex root, PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {tail.input, tail.scale, tail.shift, tail.epsilon}; }
};

}  // namespace topos
