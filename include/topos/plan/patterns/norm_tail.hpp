// What the normalizations end in: (input - mean) / sqrt(variance + epsilon) scale + shift over [rows,
// features].
#pragma once

#include <optional>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

/// The nodes of such a tail.
struct NormTail {
  NodeIndex input = 0;               ///< [rows, features]
  NodeIndex scale = 0, shift = 0;    ///< [features]
  NodeIndex mean = 0, variance = 0;  ///< one for each row, or for each feature
  NodeIndex centered = 0;            ///< Subtract(input, mean repeated)
  NodeIndex epsilon = 0;             ///< of one element
};

namespace detail {

/// Matches Add(Multiply(Divide(centered, deviation), scale), shift): scale and shift are repeated along axis
/// 0, mean and deviation along `axis`, the one that their statistics are taken over.
std::optional<NormTail> match_norm_tail(const MatchContext& context, NodeIndex root, Axis axis,
                                        PatternMatch& match);

/// Whether the tail's mean and variance are those of its own input along `axis`, and their nodes as
/// interiors, the means themselves apart.
bool match_own_statistics(const MatchContext& context, const NormTail& tail, Axis axis, PatternMatch& match);

/// What the two batch norms have in common. The attribute that holds the epsilon is an f32: one that is none
/// would be another number there.
struct BatchNormTail {
  static constexpr bool is_closed = true;
  NormTail tail;

  template <class Writer>
  bool fits(const Writer& out) const {
    return out.is_float_leaf(tail.epsilon);
  }
  /// "{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}"
  template <class Writer>
  std::string attributes(const Writer& out) const {
    return "{epsilon = " + out.leaf_literal(tail.epsilon) + " : f32, feature_index = 1 : i64}";
  }
};

}  // namespace detail

}  // namespace topos
