// The record of one differentiation: which node is whose gradient.
#pragma once

#include <vector>

#include "topos/graph/tape.hpp"

namespace topos {

/// The target that was differentiated, and for each requested value the node that is its gradient.
class Adjoints {
 public:
  /// One gradient.
  struct Pair {
    Symbol with_respect_to;  ///< a requested value
    Symbol gradient;         ///< the target's gradient with respect to it, of its shape
  };

  Adjoints(Symbol target, std::vector<Pair> pairs) : target_(target), pairs_(std::move(pairs)) {}

  Symbol target() const { return target_; }
  /// In the requested order.
  const std::vector<Pair>& pairs() const& { return pairs_; }
  std::vector<Pair> pairs() && { return std::move(pairs_); }  ///< so that a loop may go over a call's result
  /// The gradient's node; the first match where a value was requested twice. Throws UsageError otherwise.
  Symbol of(const Symbol& with_respect_to) const;
  /// The target, then the gradients in the requested order: what a training step declares as its results.
  Symbols roots() const;

 private:
  Symbol target_;
  std::vector<Pair> pairs_;
};

}  // namespace topos
