// Activations as stages of a model.
#pragma once

#include <numbers>

#include "topos/composites/activations.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// Elementwise activations by name.
enum class Activation { tanh, relu, softplus, gelu };

/// The deviation that keeps a signal's size through layers of this activation, times 1 / sqrt(rows) of their
/// weights: 5/3 for tanh, sqrt(2) for relu. Throws UsageError for the others, which have no customary one.
inline double gain(Activation activation) {
  if (activation == Activation::tanh) return 5.0 / 3.0;
  if (activation == Activation::relu) return std::numbers::sqrt2;
  throw UsageError("only tanh and relu have a customary gain: pass a number of your choice instead");
}

/// The activation of each element.
template <Recordable R>
R activate(Activation activation, const R& x, const Where& where = Where::current()) {
  switch (activation) {
    case Activation::tanh:
      return tanh(x, where);
    case Activation::relu:
      return relu(x, where);
    case Activation::softplus:
      return softplus(x, where);
    case Activation::gelu:
      return gelu(x, where);
  }
  throw UsageError("there is no such activation");
}

/// An activation as a module, of any shape; without parameters.
template <class E>
class ActivationLayer : public Module<E> {
 public:
  explicit ActivationLayer(Activation activation) : activation_(activation) {}

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    return activate(activation_, input, where);
  }
  void visit(Visitor&) const override {}

 private:
  Activation activation_;
};

}  // namespace topos
