// -x, elementwise: the sign flipped, also of zero.
#pragma once

#include "topos/ops/elementwise.hpp"

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
  Cotangents<R, 1> vjp(const Linearization<R>& at) const;
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.negate");
  }
};

/// -x, elementwise: the sign flipped, also of zero.
template <Recordable R>
R negate(const R& x, const Where& where = Where::current()) {
  return apply(Negate{}, x, where);
}

template <class R>
Cotangents<R, 1> Negate::vjp(const Linearization<R>& at) const {
  return {negate(at.cotangent)};
}

}  // namespace topos
