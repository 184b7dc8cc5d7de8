// e^x - 1, elementwise, accurate near 0.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Expm1 : ElementwiseUnary {
  static constexpr std::string_view name = "Expm1";
  static constexpr Reads reads = Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::expm1(x); });
  }
  // d (e^x - 1) = e^x dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R ones = at.ones_like(at.output);
    const R slope = add(at.output, ones);
    return {multiply(at.cotangent, slope)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.exponential_minus_one");
  }
};

}  // namespace topos
