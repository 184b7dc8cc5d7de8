// Losses.
#pragma once

#include <optional>

#include "topos/composites/axes.hpp"

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

/// What else a cross-entropy may do.
struct CrossEntropy {
  double smoothing = 0.0;  ///< the share of each target that is spread evenly over all classes, 0 ... 1
  std::optional<Extent> ignored{};  ///< rows of this class count neither in the sum nor in its divisor
};

/// cross_entropy with label smoothing and an ignored class, for targets that are a selection:
/// -sum over the rows kept of ((1 - s) log p[target] + s / classes sum(log p)) / rows kept, as PyTorch has
/// it. A batch whose rows are all ignored gives 0, with zero gradients.
template <Recordable R>
R cross_entropy(const R& logits, const R& targets, const CrossEntropy& how,
                const Where& where = Where::current()) {
  const Shape shape = shape_of(logits, where);
  detail::require(shape.rank() == 2 && shape == shape_of(targets, where), "cross_entropy",
                  "logits and targets must both be [rows, classes]", {shape, shape_of(targets, where)},
                  where);
  detail::require(how.smoothing >= 0.0 && how.smoothing <= 1.0, "cross_entropy",
                  fmt::format("the smoothing must be in 0 ... 1, not {}", how.smoothing), {shape}, where);
  detail::require(
      !how.ignored || (*how.ignored >= 0 && *how.ignored < shape[1]), "cross_entropy",
      fmt::format("the ignored class must be one of the classes, not {}", how.ignored.value_or(0)), {shape},
      where);
  R weights = targets;
  if (how.smoothing > 0.0) {
    const R share = targets.constant(shape, 1.0 - how.smoothing);
    const R even = targets.constant(shape, how.smoothing / static_cast<double>(shape[1]));
    weights = add(multiply(targets, share, where), even, where);
  }
  const R log_probabilities = log_softmax(logits, 1, where);
  const R losses = negate(sum_along(multiply(weights, log_probabilities, where), 1, where), where);
  if (!how.ignored) return mean(losses, where);
  const R dropped = squeeze(narrow(targets, 1, *how.ignored, 1, where), 1, where);
  const R ones = targets.constant(shape_of(losses, where), 1.0);
  const R kept = subtract(ones, dropped, where);
  const R total = sum(multiply(losses, kept, where), where);
  const R count = sum(kept, where);
  const R one = targets.constant(Shape(), 1.0);
  return divide(total, maximum(count, one, where), where);
}

/// The mean over all elements of (prediction - target)^2, equal shapes.
template <Recordable R>
R mean_squared_error(const R& prediction, const R& target, const Where& where = Where::current()) {
  detail::require(shape_of(prediction, where) == shape_of(target, where), "mean_squared_error",
                  "prediction and target must have the same shape",
                  {shape_of(prediction, where), shape_of(target, where)}, where);
  const R error = subtract(prediction, target, where);
  return mean(multiply(error, error, where), where);
}

}  // namespace topos
