// An operation's readings that depend on a type, dispatched by opcode: its value over tensors of E, its
// derivative rule over any recordable. Defined in rules_impl.hpp, which alone sees every operation.
#pragma once

#include "topos/ops/recordable.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

inline constexpr std::size_t max_arity = 2;  ///< the most operands of any operation

/// The operation's value, by its reference loop. `shape` is the result's, already inferred.
template <class E>
Tensor<E> evaluate(const Operation& operation, std::span<const Tensor<E>> operands, const Shape& shape);

/// One cotangent per operand, none where the operand is data or does not exist.
template <class R>
std::array<std::optional<R>, max_arity> vjp(const Operation& operation, const Linearization<R>& at);

#define TOPOS_INSTANTIATE(E) \
  extern template Tensor<E> evaluate(const Operation&, std::span<const Tensor<E>>, const Shape&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
