// Rows added into a table, by index: the adjoint of Gather.
#pragma once

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/selection.hpp"

namespace topos {

struct Scatter : OperationDefaults {
  static constexpr std::string_view name = "Scatter";
  static constexpr std::size_t arity = 2;
  static constexpr Reads reads = Reads::right;
  static constexpr bool accumulates = true;
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].rank() >= 1, "C1: the rows to add must have an axis that counts them");
    in.require(in[1].rank() == 2, "C2: the selection must be [count, classes]");
    in.require(in[1][0] == in[0][0], "C3: the selection must name one class for each row");
    return in[0].with_extent(0, in[1][1]);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    return reference::scatter(in[0], in[1], shape);
  }
  // Linear in the rows, with Gather as its adjoint; the selection is data.
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    return {gather(at.cotangent, at.right()), std::nullopt};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.product("", out.operand(1), out.shape(1), out.operand(0), out.shape(0), {}, {0}, {0},
                out.result_shape());
  }
};

}  // namespace topos
