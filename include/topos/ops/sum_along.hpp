// The sum along one axis.
#pragma once

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos {

struct SumAlong : OperationDefaults {
  // What sum_along() is given.
  Axis axis = 0;

  explicit SumAlong(Axis along) : axis(along) {}
  using Attributes = TypeList<Axis>;
  static constexpr std::string_view name = "SumAlong";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  static constexpr bool accumulates = true;
  std::vector<Field> fields() const { return {{"axis", axis}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    return in[0].without_axis(axis);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::reduce_along(in[0], axis, [](const E* line, Extent count, Extent stride) {
      return reference::sum(line, count, stride);
    });
  }
  // d sum(x) = sum(dx)
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {broadcast_along(at.cotangent, axis, at.operand().shape()[axis])};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.sum("", out.operand(0), out.shape(0), {axis});
  }
};

}  // namespace topos
