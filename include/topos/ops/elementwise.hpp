// What elementwise operations share: the result has the operands' common shape.
#pragma once

#include "topos/ops/recordable.hpp"
#include "topos/tensor/reference/map.hpp"

namespace topos {

/// Of one operand.
struct ElementwiseUnary : OperationDefaults {
  static constexpr std::size_t arity = 1;
  static constexpr bool is_elementwise = true;
  Shape infer_shape(const OperandShapes& operands) const { return operands[0]; }
};

/// Of two operands of one shape.
struct ElementwiseBinary : OperationDefaults {
  static constexpr std::size_t arity = 2;
  static constexpr bool is_elementwise = true;
  Shape infer_shape(const OperandShapes& operands) const {
    operands.require(operands[0] == operands[1], "C1: the operand shapes must be equal");
    return operands[0];
  }
};

}  // namespace topos
