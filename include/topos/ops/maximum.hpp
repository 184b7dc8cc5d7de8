// The larger of a and b, elementwise: NaN if either is NaN, and +0 above -0.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Maximum : ElementwiseBinary {
  static constexpr std::string_view name = "Maximum";
  static constexpr Reads reads = Reads::both;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1],
                          [](const E& a, const E& b) -> E { return ElementTraits<E>::maximum(a, b); });
  }
  // the larger operand gets the cotangent; a tie goes to the right one, so relu'(0) = 0
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    const R right_wins = step(at.right(), at.left());
    const R right = multiply(at.cotangent, right_wins);
    const R ones = at.ones_like(right_wins);
    const R left_wins = subtract(ones, right_wins);
    return {multiply(at.cotangent, left_wins), right};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.maximum");
  }
};

}  // namespace topos
