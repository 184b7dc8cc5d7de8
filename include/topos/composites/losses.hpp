// Losses.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// The mean cross-entropy of logits [rows, classes] against targets of the same shape, a selection or any
/// weights: -sum(targets . log_softmax(logits)) / sum(targets). What cancels does so before it is rounded:
/// logits of 1e8 lose nothing.
template <Recordable R>
R cross_entropy(const R& logits, const R& targets, const Where& where = Where::current()) {
  const Shape shape = shape_of(logits, where);
  detail::require(shape.rank() == 2 && shape == shape_of(targets, where), "cross_entropy",
                  "logits and targets must both be [rows, classes]", {shape, shape_of(targets, where)},
                  where);
  const R log_probabilities = log_softmax(logits, 1, where);
  const R matched = sum(multiply(targets, log_probabilities, where), where);
  const R total = negate(matched, where);
  return divide(total, sum(targets, where), where);
}

}  // namespace topos
