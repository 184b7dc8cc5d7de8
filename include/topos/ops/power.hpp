// x^y, elementwise, with the special cases of IEEE 754 pow.
#pragma once

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Power : ElementwiseBinary {
  static constexpr std::string_view name = "Powf";
  static constexpr Reads reads = Reads::both | Reads::output;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1],
                          [](const E& a, const E& b) -> E { return ElementTraits<E>::pow(a, b); });
  }
  // d(x^y) = y x^(y-1) dx + x^y ln(x) dy
  // The two guards add 1 exactly where the plain formula would meet 0 * infinity: y = 0 makes the exponent y
  // - 1 into 0 (so the first term is 0), and x = 0 with y >= 0 makes the logarithm's argument 1 (so the
  // second is 0).
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    const R& x = at.left();
    const R& y = at.right();
    const R zeros = y.constant(y.shape(), 0.0);
    const R ones = at.ones_like(y);
    const R y_not_negative = step(y, zeros);
    const R y_not_positive = step(zeros, y);
    const R y_is_zero = multiply(y_not_negative, y_not_positive);
    const R lowered = subtract(y, ones);
    const R exponent = add(lowered, y_is_zero);
    const R scale = multiply(at.cotangent, y);
    const R slope = pow(x, exponent);
    const R base = multiply(scale, slope);
    const R x_not_negative = step(x, zeros);
    const R x_not_positive = step(zeros, x);
    const R x_is_zero = multiply(x_not_negative, x_not_positive);
    const R guard = multiply(x_is_zero, y_not_negative);
    const R argument = add(x, guard);
    const R value = multiply(at.cotangent, at.output);
    return {base, multiply(value, log(argument))};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("stablehlo.power");
  }
};

}  // namespace topos
