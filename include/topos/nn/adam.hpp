// Adam and AdamW.
#pragma once

#include <cmath>

#include "topos/nn/record_optimizer.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

namespace detail {

/// Throws UsageError unless the element is in [0, 1).
template <class E>
void require_below_one(const char* name, const E& element) {
  if (element >= ElementTraits<E>::from_double(0.0) && !(element >= ElementTraits<E>::from_double(1.0)))
    return;
  throw UsageError(std::string("Adam needs ") + name + " in [0, 1); got " + describe(Tensor<E>(element)));
}

/// 1 - beta1^t and 1 - beta2^t.
template <class R>
struct AdamCorrections {
  R first, second;
};

}  // namespace detail

/// Adam (Kingma and Ba, 2015, algorithm 1). For a parameter p with gradient g in step t = 1, 2, ..., its
/// moments m and v at first zero, each operation rounding once to the element:
///   m = m beta1 + g (1 - beta1)
///   v = v beta2 + (g g) (1 - beta2)
///   d = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///   p = p - d rate
/// beta^t is state: at first 1, times beta once a step.
template <class E>
struct AdamRule {
  E beta1 = ElementTraits<E>::from_double(0.9);
  E beta2 = ElementTraits<E>::from_double(0.999);
  E epsilon = ElementTraits<E>::from_double(1e-8);

  void check() const {
    detail::require_below_one("beta1", beta1);
    detail::require_below_one("beta2", beta2);
    if (epsilon >= ElementTraits<E>::from_double(0.0)) return;
    throw UsageError("Adam needs an epsilon of at least 0; got " + describe(Tensor<E>(epsilon)));
  }

  std::vector<std::pair<std::string, E>> shared() const {
    return {{"first_power", one()}, {"second_power", one()}};
  }
  std::vector<std::string> moments() const { return {"first", "second"}; }
  bool decays(const Symbol&, const Tensor<E>&) const { return false; }

  template <Recordable R>
  detail::AdamCorrections<R> advance(const R& count, std::vector<R>& powers) const {
    const auto constant = [&](const E& element) { return detail::filled_beside(count, Shape(), element); };
    powers[0] = powers[0] * constant(beta1);
    powers[1] = powers[1] * constant(beta2);
    const R first = constant(one()) - powers[0];
    const R second = constant(one()) - powers[1];
    return {first, second};
  }

  template <Recordable R>
  R update(OptimizerSlot<R>& slot, const detail::AdamCorrections<R>& corrections, const R& rate) const {
    const R descent = direction(slot, corrections);
    const R rates = broadcast(rate, slot.parameter.shape());
    return slot.parameter - descent * rates;
  }

 private:
  static E one() { return ElementTraits<E>::from_double(1.0); }

  /// d, with the moments moved on.
  template <Recordable R>
  R direction(OptimizerSlot<R>& slot, const detail::AdamCorrections<R>& corrections) const {
    const R& gradient = slot.gradient;
    const Shape shape = gradient.shape();
    const auto constant = [&](const E& element) { return detail::filled_beside(gradient, shape, element); };
    R& first = slot.moments[0];
    R& second = slot.moments[1];
    const R first_kept = first * constant(beta1);
    const R first_taken = gradient * constant(one() - beta1);
    first = first_kept + first_taken;
    const R second_kept = second * constant(beta2);
    const R square = gradient * gradient;
    const R second_taken = square * constant(one() - beta2);
    second = second_kept + second_taken;
    const R mean = first / broadcast(corrections.first, shape);
    const R deviation = sqrt(second / broadcast(corrections.second, shape));
    return mean / (deviation + constant(epsilon));
  }
};

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019): beta1, beta2 and epsilon are Adam's. After
/// its p = p - d rate, with p0 the parameter before it:
///   p = p - (p0 decay) rate
/// where `decays` holds: by default for rank 2 and up, so that no bias or scale shrinks.
template <class E>
struct AdamWRule {
  E beta1 = ElementTraits<E>::from_double(0.9);
  E beta2 = ElementTraits<E>::from_double(0.999);
  E epsilon = ElementTraits<E>::from_double(1e-8);
  E decay = ElementTraits<E>::from_double(0.01);
  DecayPolicy<E> decays = [](const Symbol&, const Tensor<E>& parameter) { return parameter.rank() >= 2; };

  void check() const { adam().check(); }
  std::vector<std::pair<std::string, E>> shared() const { return adam().shared(); }
  std::vector<std::string> moments() const { return adam().moments(); }

  template <Recordable R>
  auto advance(const R& count, std::vector<R>& powers) const {
    return adam().advance(count, powers);
  }

  template <Recordable R>
  R update(OptimizerSlot<R>& slot, const detail::AdamCorrections<R>& corrections, const R& rate) const {
    const R stepped = adam().update(slot, corrections, rate);
    if (!slot.decays) return stepped;
    const Shape shape = slot.parameter.shape();
    const R decayed = slot.parameter * detail::filled_beside(slot.parameter, shape, decay);
    return stepped - decayed * broadcast(rate, shape);
  }

 private:
  AdamRule<E> adam() const { return {beta1, beta2, epsilon}; }
};

/// `Adam<float> adam({.beta2 = 0.99f}); parameters = adam.step(parameters, gradients, rate);`
template <class E>
using Adam = Optimizer<E, AdamRule<E>>;
/// `AdamW<float> adamw({.decay = 0.1f});` steps as Adam does.
template <class E>
using AdamW = Optimizer<E, AdamWRule<E>>;

/// The same as part of a program: `.update(record_adam(tape, adjoints, rate).updates)`.
template <class E>
RecordedOptimizer record_adam(Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate,
                              const AdamRule<E>& rule = {}) {
  return record_optimizer(tape, adjoints, rate, rule);
}
/// AdamW as part of a program.
template <class E>
RecordedOptimizer record_adamw(Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate,
                               const AdamWRule<E>& rule = {}) {
  return record_optimizer(tape, adjoints, rate, rule);
}

}  // namespace topos
