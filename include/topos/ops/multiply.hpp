// a * b, elementwise, one IEEE multiplication.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Multiply : ElementwiseBinary {
  static constexpr std::string_view name = "Mul";
  static constexpr Reads reads = Reads::both;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1], [](const E& a, const E& b) -> E { return a * b; });
  }
  // d(a b) = b da + a db
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    const R left = multiply(at.cotangent, at.right());
    return {left, multiply(at.cotangent, at.left())};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.multiply");
  }
};

}  // namespace topos
