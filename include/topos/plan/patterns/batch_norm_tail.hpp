// What both batch norms end in: (input - mean) / sqrt(variance + epsilon) scale + shift over [rows,
// features].
#pragma once

#include <optional>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

struct BatchNormTail {
  NodeIndex input = 0, scale = 0, shift = 0, mean = 0, variance = 0;
  NodeIndex centered = 0;  ///< Subtract(input, mean repeated)
  NodeIndex epsilon = 0;   ///< a leaf of one element
};

/// Matches Add(Multiply(Divide(centered, deviation), scale), shift), where everything of one row is repeated
/// along axis 0.
std::optional<BatchNormTail> match_batch_norm_tail(const MatchContext& context, NodeIndex root,
                                                   PatternMatch& match);

/// "{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}"
template <class Writer>
std::string batch_norm_attributes(const Writer& out, NodeIndex epsilon) {
  return "{epsilon = " + out.leaf_literal(epsilon) + " : f32, feature_index = 1 : i64}";
}

}  // namespace topos
