// The hyperbolic tangent, elementwise.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Tanh : ElementwiseUnary {
  static constexpr std::string_view name = "Tanh";
  static constexpr Reads reads = Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::tanh(x); });
  }
  // d tanh(x) = (1 - tanh(x)^2) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R ones = at.ones_like(at.output);
    const R squared = multiply(at.output, at.output);
    const R slope = subtract(ones, squared);
    return {multiply(at.cotangent, slope)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.tanh");
  }
};

}  // namespace topos
