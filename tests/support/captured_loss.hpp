// The cross-entropy of the captured modules, which loses huge logits; topos's own goes by log_softmax.
#pragma once

#include "topos/graph/value.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {

inline Value<float> captured_cross_entropy(const Value<float>& logits, const Value<float>& targets) {
  const auto weights = sum_along(targets, 1);
  const auto normalizers = logsumexp(logits, 1);
  const auto total = sum(weights * normalizers);
  const auto matched = sum(targets * logits);
  const auto difference = total - matched;
  return difference / sum(targets);
}

}  // namespace topos::testing
