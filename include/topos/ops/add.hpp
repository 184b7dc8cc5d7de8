// a + b, elementwise, one IEEE addition.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

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
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    return {at.cotangent, at.cotangent};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.add");
  }
};

}  // namespace topos
