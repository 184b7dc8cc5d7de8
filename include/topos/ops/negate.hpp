// -x, elementwise: the sign flipped, also of zero.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Negate : ElementwiseUnary {
  static constexpr std::string_view name = "Neg";
  static constexpr Reads reads = Reads::nothing;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return -x; });
  }
  // d(-x) = -dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {negate(at.cotangent)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.negate");
  }
};

}  // namespace topos
