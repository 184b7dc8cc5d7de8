// The sine, elementwise, x in radians.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Sin : ElementwiseUnary {
  static constexpr std::string_view name = "Sin";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::sin(x); });
  }
  // d sin(x) = cos(x) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R slope = cos(at.operand());
    return {multiply(at.cotangent, slope)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.sine");
  }
};

}  // namespace topos
