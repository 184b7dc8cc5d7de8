// The natural logarithm, elementwise.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Log : ElementwiseUnary {
  static constexpr std::string_view name = "Ln";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::log(x); });
  }
  // d ln x = dx / x
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {divide(at.cotangent, at.operand())};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.log");
  }
};

}  // namespace topos
