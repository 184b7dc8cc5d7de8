// The sum of all elements.
#pragma once

#include <numeric>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos {

struct Sum : OperationDefaults {
  static constexpr std::string_view name = "Sum";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  static constexpr bool accumulates = true;
  Shape infer_shape(const OperandShapes&) const { return Shape(); }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    if (in[0].rank() == 0) return in[0];
    const Elements<E> elements = in[0].elements();
    return Tensor<E>(reference::sum(elements.data(), static_cast<Extent>(elements.size())));
  }
  // d sum(x) = sum(dx)
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {broadcast(at.cotangent, at.operand().shape())};
  }
  template <class Writer>
  void spell(Writer& out) const {
    if (out.shape(0).rank() == 0) return out.alias(out.operand(0));
    std::vector<Axis> axes(static_cast<std::size_t>(out.shape(0).rank()));
    std::iota(axes.begin(), axes.end(), Axis{0});
    out.sum("", out.operand(0), out.shape(0), axes);
  }
};

}  // namespace topos
