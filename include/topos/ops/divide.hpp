// a / b, elementwise, one IEEE division.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Divide : ElementwiseBinary {
  static constexpr std::string_view name = "Div";
  static constexpr Reads reads = Reads::right | Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1], [](const E& a, const E& b) -> E { return a / b; });
  }
  // d(a / b) = da / b - (a / b) / b db
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    const R left = divide(at.cotangent, at.right());
    const R scaled = multiply(at.cotangent, at.output);
    return {left, negate(divide(scaled, at.right()))};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.divide");
  }
};

}  // namespace topos
