// The same elements in row-major order under another shape.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct Reshape : OperationDefaults {
  // What reshape() is given.
  Shape shape;

  explicit Reshape(Shape target) : shape(std::move(target)) {}
  using Attributes = TypeList<Shape>;
  static constexpr std::string_view name = "Reshape";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const { return {{"shape", shape.extents()}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].volume() == shape.volume(), "C1: the volumes must be equal");
    return shape;
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].reshaped(shape);
  }
  // A bijection of elements: the cotangent goes back by the inverse.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {reshape(at.cotangent, at.operand().shape())};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.reshape("", out.operand(0), out.shape(0), out.result_shape());
  }
};

}  // namespace topos
