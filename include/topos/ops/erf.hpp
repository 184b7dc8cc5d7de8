// The error function, elementwise.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Erf : ElementwiseUnary {
  static constexpr std::string_view name = "Erf";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::erf(x); });
  }
  // d erf(x) = erf'(x) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R slope = erf_derivative(at.operand());
    return {multiply(at.cotangent, slope)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    // StableHLO has no erf; CHLO, which the same compilers read, writes its type without parentheses.
    out.define("", fmt::format("chlo.erf {} : {} -> {}", out.operand(0), out.type(out.shape(0)),
                               out.type(out.result_shape())));
  }
};

}  // namespace topos
