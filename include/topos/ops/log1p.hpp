// ln(1 + x), elementwise, accurate near 0.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Log1p : ElementwiseUnary {
  static constexpr std::string_view name = "Log1p";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::log1p(x); });
  }
  // d ln(1 + x) = dx / (1 + x)
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R ones = at.ones_like(at.operand());
    const R sum = add(ones, at.operand());
    return {divide(at.cotangent, sum)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.log_plus_one");
  }
};

}  // namespace topos
