// erf'(x) = 2/sqrt(pi) e^(-x^2), elementwise, computed as exp(-(x x)) times the rounded constant.
#pragma once

#include <fmt/format.h>

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// 2/sqrt(pi) e^(-x^2) as a square, a negation, an exponential and a product, each rounded.
template <class E>
E erf_slope(const E& x) {
  return ElementTraits<E>::exp(-(x * x)) * ElementTraits<E>::from_double(1.1283791670955126);
}

struct ErfDerivative : ElementwiseUnary {
  static constexpr std::string_view name = "ErfDerivative";
  static constexpr Reads reads = Reads::left | Reads::output;
  static constexpr bool rounds_inside = true;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return erf_slope(x); });
  }
  // d (2/sqrt(pi) e^(-x^2)) = -2 x (2/sqrt(pi) e^(-x^2)) dx
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R doubled = add(at.operand(), at.operand());
    const R scaled = multiply(at.cotangent, doubled);
    return {negate(multiply(scaled, at.output))};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const std::string squared = out.define(
        "_squared", fmt::format("stablehlo.multiply {0}, {0} : {1}", out.operand(0), out.type(out.shape(0))));
    const std::string negated =
        out.define("_negated", fmt::format("stablehlo.negate {} : {}", squared, out.type(out.shape(0))));
    const std::string bell =
        out.define("_bell", fmt::format("stablehlo.exponential {} : {}", negated, out.type(out.shape(0))));
    const std::string scale = out.splat("_scale", out.shape(0), "1.1283791670955126");
    out.define("", fmt::format("stablehlo.multiply {}, {} : {}", bell, scale, out.type(out.shape(0))));
  }
};

}  // namespace topos
