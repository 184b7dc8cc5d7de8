// A contiguous part of one axis.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct Narrow : OperationDefaults {
  // What narrow() is given.
  Axis axis = 0;
  Extent start = 0;
  Extent length = 0;

  Narrow(Axis along, Extent from, Extent count) : axis(along), start(from), length(count) {}
  using Attributes = TypeList<Axis, Extent, Extent>;
  static constexpr std::string_view name = "Narrow";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"axis", axis}, {"start", start}, {"len", length}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    in.require(length >= 0, "C2: the length cannot be negative");
    in.require(start >= 0 && length <= in[0][axis] && start <= in[0][axis] - length,
               "C3: start and start + length must lie in the axis");
    return in[0].with_extent(axis, length);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].narrowed(axis, start, length);
  }
  // What was cut away has no influence: the cotangent goes back between zeros.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {pad(at.cotangent, axis, start, at.operand().shape()[axis])};
  }
  template <class Writer>
  void spell(Writer& out) const {
    std::string ranges;
    for (Axis a = 0; a < out.shape(0).rank(); ++a) {
      if (a > 0) ranges += ", ";
      ranges +=
          a == axis ? fmt::format("{}:{}", start, start + length) : fmt::format("0:{}", out.shape(0)[a]);
    }
    out.define("", fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", out.operand(0), ranges,
                               out.type(out.shape(0)), out.type(out.result_shape())));
  }
};

}  // namespace topos
