// The operand held in another precision: each element rounded once, or, when it widens, unchanged.
#pragma once

#include <fmt/format.h>

#include "topos/base/error.hpp"
#include "topos/ops/elementwise.hpp"
#include "topos/ops/functions.hpp"
#include "topos/tensor/held.hpp"

namespace topos {

struct Convert : ElementwiseUnary {
  Precision to = Precision::working;  ///< what the result is held in

  explicit Convert(Precision precision) : to(precision) {}
  using Attributes = TypeList<Precision>;
  static constexpr std::string_view name = "Convert";
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"to", name_of(to)}}; }
  Precision result_precision(Precision) const { return to; }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    if constexpr (!std::same_as<E, float>) {
      if (to == Precision::bf16) throw UsageError("[Convert] only f32 elements can be held in bf16");
    }
    return held(in[0], to);
  }
  // d convert(x) = convert(dx): the cotangent in the operand's precision
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {convert(at.cotangent, precision_of(at.operand(), Where::current()))};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.define("", fmt::format("stablehlo.convert {} : ({}) -> {}", out.operand(0), out.operand_type(0),
                               out.type(out.result_shape())));
  }
};

}  // namespace topos
