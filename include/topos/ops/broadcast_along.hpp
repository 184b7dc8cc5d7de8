// A new axis along which every slice is the operand.
#pragma once

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct BroadcastAlong : OperationDefaults {
  // What broadcast_along() is given.
  Axis axis = 0;
  Extent extent = 0;

  BroadcastAlong(Axis along, Extent count) : axis(along), extent(count) {}
  using Attributes = TypeList<Axis, Extent>;
  static constexpr std::string_view name = "BroadcastAlong";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"axis", axis}, {"extent", extent}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(axis >= 0 && axis <= in[0].rank(), "C1: the new axis must lie in 0 ... rank");
    in.require(extent >= 0, "C2: the extent cannot be negative");
    return in[0].with_axis(axis, extent);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].broadcast_along(axis, extent);
  }
  // Each element feeds `extent` positions: its cotangent is their sum.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {sum_along(at.cotangent, axis)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.broadcast_in_dim("", out.operand(0), out.shape(0), out.axes_without(out.result_shape(), axis),
                         out.result_shape());
  }
};

}  // namespace topos
