// Gradient clipping, over gradients that the caller holds or recorded between them and an update. Both
// readings are the same operations in the same order, hence the same bits.
#pragma once

#include <algorithm>

#include "topos/differentiate/adjoints.hpp"
#include "topos/graph/network.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

namespace detail {

/// Throws UsageError unless the limit is above zero.
template <class E>
const E& checked_limit(const E& limit) {
  const E zero = ElementTraits<E>::from_double(0.0);
  if (limit >= zero && !(limit == zero)) return limit;
  throw UsageError("gradients are clipped to a limit above 0; got " + describe(Tensor<E>(limit)));
}

/// sqrt((0 + sum(g0 g0)) + sum(g1 g1) + ...), from a zero.
template <Recordable R>
R norm_from(const R& zero, const std::vector<R>& gradients) {
  R total = zero;
  for (const R& gradient : gradients) {
    const R squares = sum(gradient * gradient);
    total = total + squares;
  }
  return sqrt(total);
}

/// limit / maximum(norm, limit).
template <Recordable R>
R clipping_factor(const R& norm, const R& limit) {
  const R divisor = maximum(norm, limit);
  return limit / divisor;
}

/// minimum(maximum(g, -limit), limit), of limits of g's shape.
template <Recordable R>
R clipped(const R& gradient, const R& limit) {
  const R below = negate(limit);
  const R raised = maximum(gradient, below);
  const R turned = negate(raised);
  const R lowered = maximum(turned, below);
  return negate(lowered);
}

/// The adjoints' gradients in the order in which the program recorded their parameters, as a Parameters has
/// them.
template <class E>
std::vector<Value<E>> gradients_in_order(Tape<E>& tape, const Adjoints& adjoints) {
  std::vector<Adjoints::Pair> pairs = adjoints.pairs();
  std::sort(pairs.begin(), pairs.end(), [](const Adjoints::Pair& a, const Adjoints::Pair& b) {
    return std::pair(a.with_respect_to, a.gradient) < std::pair(b.with_respect_to, b.gradient);
  });
  std::vector<Value<E>> gradients;
  for (const Adjoints::Pair& pair : pairs) gradients.push_back(tape.resolve(pair.gradient));
  return gradients;
}

/// The adjoints with each gradient g changed to change(g).
template <class E, class Change>
Adjoints changed(Tape<E>& tape, const Adjoints& adjoints, Change change) {
  std::vector<Adjoints::Pair> pairs;
  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    pairs.push_back({pair.with_respect_to, change(tape.resolve(pair.gradient))});
  }
  return Adjoints(adjoints.target(), std::move(pairs));
}

}  // namespace detail

/// The norm of all gradients together: the root of the sum, over the parameters in recording order from +0,
/// of each gradient's sum of squares. A parameter whose gradient was not requested counts as zeros.
template <class E>
E global_norm(const ParameterGradients<E>& gradients) {
  return detail::norm_from(Tensor<E>(ElementTraits<E>::from_double(0.0)), gradients.payloads()).item();
}
/// The same recorded, rank 0: the adjoints in the order in which their parameters were recorded.
template <class E>
Value<E> record_global_norm(Tape<E>& tape, const Adjoints& adjoints) {
  const Value<E> zero = tape.leaf(Tensor<E>(ElementTraits<E>::from_double(0.0)));
  return detail::norm_from(zero, detail::gradients_in_order(tape, adjoints));
}

/// Each gradient times limit / maximum(global norm, limit) (Pascanu et al., 2013): unchanged in every bit up
/// to the limit. A NaN anywhere makes every element NaN; an infinite norm makes the finite elements zeros.
/// Throws UsageError unless limit > 0.
template <class E>
ParameterGradients<E> clip_by_norm(const ParameterGradients<E>& gradients, const E& limit) {
  const Tensor<E> norm(global_norm(gradients));
  const Tensor<E> factor = detail::clipping_factor(norm, Tensor<E>(detail::checked_limit(limit)));
  return gradients.step(gradients, [&](const Tensor<E>& gradient, const Tensor<E>&) {
    return gradient * broadcast(factor, gradient.shape());
  });
}
/// The same recorded, for record_sgd and its like.
template <class E>
Adjoints record_clip_by_norm(Tape<E>& tape, const Adjoints& adjoints, const E& limit) {
  detail::checked_limit(limit);
  const Value<E> norm = record_global_norm(tape, adjoints);
  const Value<E> factor = detail::clipping_factor(norm, tape.leaf(Tensor<E>(limit)));
  return detail::changed(tape, adjoints, [&](const Value<E>& gradient) {
    const Value<E> factors = broadcast(factor, gradient.shape());
    return gradient * factors;
  });
}

/// Each element brought between -limit and limit; NaN stays. Throws UsageError unless limit > 0.
template <class E>
ParameterGradients<E> clip_by_value(const ParameterGradients<E>& gradients, const E& limit) {
  detail::checked_limit(limit);
  return gradients.step(gradients, [&](const Tensor<E>& gradient, const Tensor<E>&) {
    return detail::clipped(gradient, Tensor<E>::filled(gradient.shape(), limit));
  });
}
/// The same recorded.
template <class E>
Adjoints record_clip_by_value(Tape<E>& tape, const Adjoints& adjoints, const E& limit) {
  detail::checked_limit(limit);
  return detail::changed(tape, adjoints, [&](const Value<E>& gradient) {
    return detail::clipped(gradient, gradient.leaf(Tensor<E>::filled(gradient.shape(), limit)));
  });
}

}  // namespace topos
