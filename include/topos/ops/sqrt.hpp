// The square root, elementwise, one IEEE operation.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Sqrt : ElementwiseUnary {
  static constexpr std::string_view name = "Sqrt";
  static constexpr Reads reads = Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::sqrt(x); });
  }
  // d sqrt(x) = dx / (2 sqrt(x))
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R doubled = add(at.output, at.output);
    return {divide(at.cotangent, doubled)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.sqrt");
  }
};

}  // namespace topos
