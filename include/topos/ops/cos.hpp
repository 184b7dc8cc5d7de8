// The cosine, elementwise, x in radians.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Cos : ElementwiseUnary {
  static constexpr std::string_view name = "Cos";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::cos(x); });
  }
  // d cos(x) = -sin(x) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R slope = sin(at.operand());
    const R scaled = multiply(at.cotangent, slope);
    return {negate(scaled)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.cosine");
  }
};

}  // namespace topos
