// What the three sources share: no operands, a payload instead of a rule, nothing to differentiate.
#pragma once

#include "topos/base/error.hpp"
#include "topos/ops/recordable.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// Base of Leaf, Parameter and Input.
struct SourceOperation : OperationDefaults {
  static constexpr std::size_t arity = 0;
  static constexpr bool is_source = true;
  static constexpr Reads reads = Reads::nothing;
  Shape infer_shape(const OperandShapes&) const {
    throw InternalError("a source's shape is its payload's and is never inferred");
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>>, const Shape&) const {
    throw InternalError("a source's value is its payload and is never evaluated");
  }
  template <class R>
  Cotangents<R, 0> vjp(const Linearization<R>&) const {
    return {};
  }
};

}  // namespace topos
