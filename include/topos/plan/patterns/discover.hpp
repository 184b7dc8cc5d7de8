// Every pattern's matches in a schedule.
#pragma once

#include <functional>
#include <span>

#include "topos/plan/candidate.hpp"
#include "topos/plan/schedule.hpp"

namespace topos {

/// What a pattern sees of a program: its structure, what is declared, and whether a leaf repeats one value.
struct MatchContext {
  const Graph& graph;        ///< the structure
  const Schedule& schedule;  ///< what is computed and declared of it
  /// Whether every element of a leaf is `value`.
  std::function<bool(NodeIndex leaf, double value)> leaf_is_filled_with;

  // A node, its shape, the index of an operand.
  const Node& node(NodeIndex index) const { return graph[index]; }
  const Shape& shape(NodeIndex index) const { return graph[index].shape; }
  NodeIndex operand(NodeIndex index, std::size_t position = 0) const {
    return graph[index].operands[position];
  }
  /// The node's operation when it is an Op, else null.
  template <class Op>
  const Op* get_if(NodeIndex index) const {
    return graph[index].operation.get_if<Op>();
  }
  /// Whether the node's operation is an Op.
  template <class Op>
  bool is(NodeIndex index) const {
    return graph[index].operation.is<Op>();
  }
};

/// What a matcher collects: the nodes that the operation stands for, besides its root.
struct PatternMatch {
  std::vector<NodeIndex> interiors;  ///< in any order
};

namespace detail {

struct PatternMatcher;

/// Matches of a program's own patterns and of every pattern of the list, pattern by pattern and then by root,
/// ascending. An interior that is a declared result bars a match: it has to be computed as itself. Other
/// readers do not bar it, unless the pattern is closed: what they read is computed for them. Throws
/// UsageError when one of `own` names a node that its root cannot stand for or read.
std::vector<Candidate> discover_candidates(const MatchContext& context,
                                           std::span<const PatternMatcher> own = {});

}  // namespace detail

}  // namespace topos
