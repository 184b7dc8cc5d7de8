// A tensor and what it is held in: what an engine's reverse scan computes with where a recording would
// record.
#pragma once

#include "topos/ops/rules.hpp"
#include "topos/tensor/held.hpp"

namespace topos {

namespace detail {
/// The operation's value in the precision of its node: evaluated as any other, then rounded once.
template <class E>
Tensor<E> evaluate_held(const Operation& operation, std::span<const Tensor<E>> operands, const Shape& shape,
                        Precision precision) {
  return held(evaluate<E>(operation, operands, shape), precision);
}
}  // namespace detail

/// Recordable: an operation rounds as the node would that a Value records.
template <class E>
struct HeldTensor {
  Tensor<E> tensor;                        ///< its elements, rounded
  Precision held_in = Precision::working;  ///< what to

  static HeldTensor apply(const Operation& operation, std::span<const HeldTensor> operands,
                          const std::source_location& where) {
    operation.require_arity(operands.size(), where);
    std::array<const Shape*, max_arity> shapes{};
    std::vector<Tensor<E>> tensors;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      shapes[i] = &operands[i].tensor.shape();
      tensors.push_back(operands[i].tensor);
    }
    const Shape shape = operation.infer_shape(std::span(shapes).first(operands.size()), where);
    const Precision precision = operation.result_precision(operands[0].held_in);
    return {detail::evaluate_held<E>(operation, tensors, shape, precision), precision};
  }
  Shape shape() const { return tensor.shape(); }
  Precision precision() const { return held_in; }  ///< as a Value has it
  HeldTensor constant(const Shape& shape, double value) const {
    return {Tensor<E>::filled(shape, detail::held_number<E>(value, held_in)), held_in};
  }
  HeldTensor lowest_finite(const Shape& shape) const {
    return {Tensor<E>::filled(shape, detail::lowest_finite_held<E>(held_in)), held_in};
  }
};

}  // namespace topos
