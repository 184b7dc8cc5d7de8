// Stochastic gradient descent.
#pragma once

#include "topos/graph/parameters.hpp"
#include "topos/graph/value.hpp"

namespace topos {

/// An update for Parameters::step: parameter - gradient * rate, two roundings an element.
template <class E>
auto sgd(E rate) {
  return [rate](const Tensor<E>& parameter, const Tensor<E>& gradient) {
    return parameter - gradient * Tensor<E>::filled(gradient.shape(), rate);
  };
}

}  // namespace topos
