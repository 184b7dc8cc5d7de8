// 1 where a >= b, else 0 (also where either is NaN).
#pragma once

#include <fmt/format.h>

#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

struct Step : ElementwiseBinary {
  static constexpr std::string_view name = "Step";
  static constexpr Reads reads = Reads::nothing;
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], in[1],
                          [](const E& a, const E& b) -> E { return ElementTraits<E>::step(a, b); });
  }
  // piecewise constant: both operands are data
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>&) const {
    return {std::nullopt, std::nullopt};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const std::string mask =
        out.define("_mask", fmt::format("stablehlo.compare GE, {}, {}, FLOAT : ({}, {}) -> {}",
                                        out.operand(0), out.operand(1), out.type(out.shape(0)),
                                        out.type(out.shape(1)), out.predicate_type(out.shape(0))));
    const std::string ones = out.splat("_ones", out.shape(0), out.one());
    const std::string zeros = out.splat("_zeros", out.shape(0), out.zero());
    out.define("", fmt::format("stablehlo.select {}, {}, {} : {}, {}", mask, ones, zeros,
                               out.predicate_type(out.shape(0)), out.type(out.shape(0))));
  }
};

}  // namespace topos
