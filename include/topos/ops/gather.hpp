// Rows of a table, by index.
#pragma once

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/selection.hpp"

namespace topos {

struct Gather : OperationDefaults {
  static constexpr std::string_view name = "Gather";
  static constexpr std::size_t arity = 2;
  static constexpr Reads reads = Reads::right;
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[1].rank() == 2, "C1: the selection must be [count, classes]");
    in.require(in[0].rank() >= 1, "C2: the table must have rows");
    in.require(in[1][1] == in[0][0], "C3: the selection's classes must be the table's rows");
    return in[0].with_extent(0, in[1][0]);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    return reference::gather(in[0], in[1], shape);
  }
  // A table row's cotangent is the sum over the places it was copied to; the selection is data.
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    return {scatter(at.cotangent, at.right()), std::nullopt};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.selected("", out.operand(1), out.shape(1), out.operand(0), out.shape(0), out.result_shape());
  }
};

}  // namespace topos
