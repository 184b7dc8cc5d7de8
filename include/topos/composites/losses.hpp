// Losses.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/ops/divide.hpp"
#include "topos/ops/logsumexp.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/subtract.hpp"
#include "topos/ops/sum.hpp"
#include "topos/ops/sum_along.hpp"

namespace topos {

/// The mean cross-entropy of logits [rows, classes] against targets of the same shape, a selection or any
/// weights: sum over rows of (weight logsumexp(logits) - targets . logits), over the sum of the targets.
template <Recordable R>
R cross_entropy(const R& logits, const R& targets, const Where& where = Where::current()) {
  const Shape shape = logits.shape();
  detail::require(shape.rank() == 2 && shape == targets.shape(), "cross_entropy",
                  "logits and targets must both be [rows, classes]", {shape, targets.shape()}, where);
  const R weights = sum_along(targets, 1, where);
  const R normalizers = logsumexp(logits, 1, where);
  const R total = sum(multiply(weights, normalizers, where), where);
  const R matched = sum(multiply(targets, logits, where), where);
  const R difference = subtract(total, matched, where);
  return divide(difference, sum(targets, where), where);
}

}  // namespace topos
