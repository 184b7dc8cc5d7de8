// Stochastic gradient descent.
#pragma once

#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

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

}  // namespace topos
