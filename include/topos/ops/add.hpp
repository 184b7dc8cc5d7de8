// a + b, elementwise, one IEEE addition.
#pragma once

#include "topos/ops/elementwise.hpp"

namespace topos {

struct Add : ElementwiseBinary {
  static constexpr std::string_view name = "Add";
  static constexpr Reads reads = Reads::nothing;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1], [](const E& a, const E& b) -> E { return a + b; });
  }
  // d(a + b) = da + db
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const;
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.add");
  }
};

/// a + b, elementwise, one IEEE addition. Equal shapes.
template <Recordable R>
R add(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(Add{}, a, b, where);
}

template <class R>
Cotangents<R, 2> Add::vjp(const Linearization<R>& at) const {
  return {at.cotangent, at.cotangent};
}

}  // namespace topos
