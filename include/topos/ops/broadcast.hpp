// One element to any shape.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct Broadcast : OperationDefaults {
  // What broadcast() is given.
  Shape shape;

  explicit Broadcast(Shape target) : shape(std::move(target)) {}
  using Attributes = TypeList<Shape>;
  static constexpr std::string_view name = "Broadcast";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"shape", shape.extents()}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].volume() == 1, "C1: the operand must hold exactly one element");
    return shape;
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].repeated_to(shape);
  }
  // The element feeds every position: its cotangent is their sum.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R total = sum(at.cotangent);
    return {broadcast(total, at.operand().shape())};
  }
  template <class Writer>
  void spell(Writer& out) const {
    std::string scalar = out.operand(0);
    if (out.shape(0).rank() != 0) {
      scalar = out.define("_scalar", fmt::format("stablehlo.reshape {} : ({}) -> {}", scalar,
                                                 out.type(out.shape(0)), out.type(Shape())));
    }
    out.broadcast_in_dim("", scalar, Shape(), {}, out.result_shape());
  }
};

}  // namespace topos
