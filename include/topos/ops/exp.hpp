// e^x, elementwise.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Exp : ElementwiseUnary {
  static constexpr std::string_view name = "Exp";
  static constexpr Reads reads = Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::exp(x); });
  }
  // d e^x = e^x dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {multiply(at.cotangent, at.output)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.exponential");
  }
};

}  // namespace topos
