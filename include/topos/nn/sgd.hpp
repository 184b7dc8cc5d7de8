// Stochastic gradient descent: plain, with momentum and with weight decay.
#pragma once

#include "topos/nn/record_optimizer.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// An update for Parameters::step: parameter - gradient * rate, two roundings an element.
template <class E>
auto sgd(E rate) {
  return [rate](const Tensor<E>& parameter, const Tensor<E>& gradient) {
    return parameter - gradient * Tensor<E>::filled(gradient.shape(), rate);
  };
}

/// The same update recorded, for Entry::update: a session's step then trains its own parameters. `rate` has
/// one element, so that a schedule can feed it. Equal to sgd() in every bit.
template <class E>
std::vector<Update> record_sgd(Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate) {
  std::vector<Update> updates;
  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    const Value<E> parameter = tape.resolve(pair.with_respect_to);
    const Value<E> gradient = tape.resolve(pair.gradient);
    const Value<E> rates = broadcast(rate, gradient.shape());
    updates.push_back({pair.with_respect_to, parameter - gradient * rates});
  }
  return updates;
}

/// Descent with momentum (Sutskever et al., 2013) as PyTorch's SGD defines it. For a parameter p with
/// gradient g and velocity v, at first zero, each operation rounding once:
///   g = g + p weight_decay                  where `decays` holds
///   v = v momentum + g (1 - dampening)      with momentum; the first step does not dampen
///   d = v, or g + v momentum by Nesterov    with momentum, else d = g
///   p = p - d rate
/// An operation whose hyperparameter is zero is left out.
template <class E>
struct SgdRule {
  E momentum = ElementTraits<E>::from_double(0.0);
  E dampening = ElementTraits<E>::from_double(0.0);
  bool nesterov = false;  ///< d = g + v momentum
  E weight_decay = ElementTraits<E>::from_double(0.0);
  DecayPolicy<E> decays = [](const Symbol&, const Tensor<E>&) { return true; };

  /// Nesterov's form has momentum and no dampening.
  void check() const {
    if (!nesterov || (!is_zero(momentum) && is_zero(dampening))) return;
    throw UsageError("Nesterov's form needs a momentum, and a dampening of zero; got momentum " +
                     describe(Tensor<E>(momentum)) + " and dampening " + describe(Tensor<E>(dampening)));
  }

  std::vector<std::pair<std::string, E>> shared() const { return {}; }
  std::vector<std::string> moments() const {
    if (is_zero(momentum)) return {};
    return {"velocity"};
  }

  /// What the velocity takes of a gradient: 1 - dampening step(count >= 2); none where that is all of it.
  template <Recordable R>
  std::optional<R> advance(const R& count, std::vector<R>&) const {
    if (is_zero(momentum) || is_zero(dampening)) return std::nullopt;
    const auto constant = [&](double number) { return count.constant(Shape(), number); };
    const R two = constant(2.0);
    const R later = step(count, two);
    const R dampened = later * detail::filled_beside(count, Shape(), dampening);
    const R one = constant(1.0);
    return one - dampened;
  }

  template <Recordable R>
  R update(OptimizerSlot<R>& slot, const std::optional<R>& share, const R& rate) const {
    const Shape shape = slot.parameter.shape();
    const auto constant = [&](const E& element) {
      return detail::filled_beside(slot.parameter, shape, element);
    };
    R direction = slot.gradient;
    if (slot.decays && !is_zero(weight_decay)) {
      const R decay = slot.parameter * constant(weight_decay);
      direction = direction + decay;
    }
    if (!is_zero(momentum)) {
      R& velocity = slot.moments[0];
      const R kept = velocity * constant(momentum);
      const R taken = share ? direction * broadcast(*share, shape) : direction;
      velocity = kept + taken;
      if (nesterov) {
        const R ahead = velocity * constant(momentum);
        direction = direction + ahead;
      } else {
        direction = velocity;
      }
    }
    const R rates = broadcast(rate, shape);
    return slot.parameter - direction * rates;
  }

 private:
  static bool is_zero(const E& element) { return element == ElementTraits<E>::from_double(0.0); }
};

/// `Sgd<float> sgd({.momentum = 0.9f}); parameters = sgd.step(parameters, gradients, rate);`
template <class E>
using Sgd = Optimizer<E, SgdRule<E>>;

/// The same as part of a program; with momentum it has state.
template <class E>
RecordedOptimizer record_sgd(Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate,
                             const SgdRule<E>& rule) {
  return record_optimizer(tape, adjoints, rate, rule);
}

}  // namespace topos
