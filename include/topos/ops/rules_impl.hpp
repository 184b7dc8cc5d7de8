// The dispatch tables, generated from OpList. Instantiated once for each element topos ships; a program with
// an element or a recordable of its own includes this file in one source.
#pragma once

#include "topos/base/float_environment.hpp"
#include "topos/ops/op_list.hpp"
#include "topos/ops/rules.hpp"
#include "topos/tensor/convert.hpp"
#include "topos/tensor/reference/matmul.hpp"
#include "topos/tensor/tensor_impl.hpp"

namespace topos {
namespace detail {

/// The operation over the accumulator's elements, its result rounded to E.
template <class E>
Tensor<E> evaluate_accumulated(const Operation& operation, std::span<const Tensor<E>> operands,
                               const Shape& shape) {
  std::vector<Tensor<Accumulator<E>>> promoted;
  for (const Tensor<E>& operand : operands) promoted.push_back(convert<Accumulator<E>>(operand));
  return convert<E>(evaluate<Accumulator<E>>(operation, promoted, shape));
}

template <class E, class... Ops>
Tensor<E> evaluate_by_opcode(TypeList<Ops...>, const Operation& operation,
                             std::span<const Tensor<E>> operands, const Shape& shape) {
  using Function = Tensor<E> (*)(const Operation&, std::span<const Tensor<E>>, const Shape&);
  static constexpr Function table[] = {
      [](const Operation& op, std::span<const Tensor<E>> in, const Shape& out) -> Tensor<E> {
        if constexpr (Ops::accumulates && !std::is_same_v<Accumulator<E>, E>) {
          return evaluate_accumulated(op, in, out);
        } else {
          return op.get<Ops>().evaluate(in, out);
        }
      }...};
  return table[operation.opcode()](operation, operands, shape);
}

template <class R, class... Ops>
std::array<std::optional<R>, max_arity> vjp_by_opcode(TypeList<Ops...>, const Operation& operation,
                                                      const Linearization<R>& at) {
  using Result = std::array<std::optional<R>, max_arity>;
  using Function = Result (*)(const Operation&, const Linearization<R>&);
  static constexpr Function table[] = {[](const Operation& op, const Linearization<R>& where) -> Result {
    Cotangents<R, Ops::arity> cotangents = op.get<Ops>().vjp(where);
    Result result;
    std::move(cotangents.begin(), cotangents.end(), result.begin());
    return result;
  }...};
  return table[operation.opcode()](operation, at);
}

}  // namespace detail

template <class E>
Tensor<E> evaluate(const Operation& operation, std::span<const Tensor<E>> operands, const Shape& shape) {
  const DefaultFloatEnvironment environment;
  return detail::evaluate_by_opcode<E>(OpList{}, operation, operands, shape);
}

template <class R>
std::array<std::optional<R>, max_arity> vjp(const Operation& operation, const Linearization<R>& at) {
  return detail::vjp_by_opcode<R>(OpList{}, operation, at);
}

template <class E>
Tensor<E> Tensor<E>::apply(const Operation& operation, std::span<const Tensor> operands,
                           const std::source_location& where) {
  operation.require_arity(operands.size(), where);
  std::array<const Shape*, max_arity> shapes{};
  for (std::size_t i = 0; i < operands.size(); ++i) shapes[i] = &operands[i].shape();
  return evaluate(operation, operands,
                  operation.infer_shape(std::span(shapes).first(operands.size()), where));
}

}  // namespace topos
