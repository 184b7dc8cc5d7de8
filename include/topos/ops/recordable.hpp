// The one primitive that programs and derivative rules are written over: apply an operation to operands.
// A Tensor computes by it, a Value records by it; a type of your own can do anything else with it.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <source_location>
#include <span>

#include "topos/ops/operation.hpp"

namespace topos {

/// What operations apply to: a Tensor, a Value, or a type of your own with these members.
template <class R>
concept Recordable =
    std::copyable<R> && requires(const R r, const Operation& operation, std::span<const R> operands,
                                 const Shape& shape, const std::source_location& where) {
      { R::apply(operation, operands, where) } -> std::same_as<R>;
      { r.shape() } -> std::convertible_to<Shape>;
      { r.constant(shape, 1.0) } -> std::same_as<R>;  ///< a new constant beside r
      { r.lowest_finite(shape) } -> std::same_as<R>;  ///< filled with the element's lowest finite number
    };

/// The caller's place, as the default argument of the functions that record.
using Where = std::source_location;

/// Applies a unary operation.
template <Recordable R>
R apply(const Operation& operation, const R& operand, const std::source_location& where) {
  return R::apply(operation, std::span<const R>(&operand, 1), where);
}

/// Applies a binary operation.
template <Recordable R>
R apply(const Operation& operation, const R& left, const R& right, const std::source_location& where) {
  const std::array<R, 2> operands{left, right};
  return R::apply(operation, operands, where);
}

/// What a derivative rule sees: the operands, the output and the incoming cotangent.
template <class R>
struct Linearization {
  std::span<const R> operands;
  const R& output;     ///< the operation's value
  const R& cotangent;  ///< the target's gradient with respect to that value

  // The only operand; the two; ones of the shape of a value.
  const R& operand() const { return operands[0]; }
  const R& left() const { return operands[0]; }
  const R& right() const { return operands[1]; }
  R ones_like(const R& reference) const { return reference.constant(reference.shape(), 1.0); }
};

/// A rule's result: one cotangent per operand; none for an operand that is data (an index, a threshold),
/// which then is not differentiated through at all.
template <class R, std::size_t Arity>
using Cotangents = std::array<std::optional<R>, Arity>;

/// The operand's shape, asked for on behalf of the caller at `where`.
template <Recordable R>
Shape shape_of(const R& operand, const Where& where) {
  if constexpr (requires { operand.shape(where); }) {
    return operand.shape(where);
  } else {
    return operand.shape();
  }
}

/// What the operand is held in; `working` for a recordable that knows no other.
template <Recordable R>
Precision precision_of(const R& operand, const Where& where) {
  if constexpr (requires { operand.precision(where); }) {
    return operand.precision(where);
  } else if constexpr (requires { operand.precision(); }) {
    return operand.precision();
  } else {
    return Precision::working;
  }
}

}  // namespace topos
