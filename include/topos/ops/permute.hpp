// The axes in another order.
#pragma once

#include <vector>

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct Permute : OperationDefaults {
  // What permute() is given.
  std::vector<Axis> order;

  explicit Permute(std::vector<Axis> axes) : order(std::move(axes)) {}
  using Attributes = TypeList<std::vector<Axis>>;
  static constexpr std::string_view name = "Permute";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"order", std::span<const Axis>(order)}}; }
  Shape infer_shape(const OperandShapes& in) const {
    const Axis rank = in[0].rank();
    in.require(static_cast<Axis>(order.size()) == rank, "C1: the order must name every axis of the operand");
    std::vector<bool> seen(order.size(), false);
    for (const Axis axis : order) {
      in.require(axis >= 0 && axis < rank, "C2: the order's entries must be axes of the operand");
      in.require(!seen[static_cast<std::size_t>(axis)], "C3: the order cannot name an axis twice");
      seen[static_cast<std::size_t>(axis)] = true;
    }
    return in[0].permuted(order);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].permuted(order);
  }
  // A bijection of elements: the cotangent goes back by the inverse order.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    std::vector<Axis> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      inverse[static_cast<std::size_t>(order[i])] = static_cast<Axis>(i);
    return {permute(at.cotangent, inverse)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.transpose("", out.operand(0), out.shape(0), order);
  }
};

}  // namespace topos
