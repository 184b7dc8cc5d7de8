// The sine, elementwise, x in radians.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/multiply.hpp"

namespace topos {

struct Cos;

struct Sin : ElementwiseUnary {
  static constexpr std::string_view name = "Sin";
  static constexpr Reads reads = Reads::left;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return ElementTraits<E>::sin(x); });
  }
  // d sin(x) = cos(x) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const;
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.sine");
  }
};

/// The sine, elementwise, x in radians.
template <Recordable R>
R sin(const R& x, const Where& where = Where::current()) {
  return apply(Sin{}, x, where);
}

template <class R>
Cotangents<R, 1> Sin::vjp(const Linearization<R>& at) const {
  const R slope = apply(typename Later<Cos, R>::Operation{}, at.operand(), Where::current());
  return {multiply(at.cotangent, slope)};
}

}  // namespace topos
