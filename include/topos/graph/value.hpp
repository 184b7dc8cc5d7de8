// A node under construction: what a program is written with.
#pragma once

#include <memory>

#include "topos/base/error.hpp"
#include "topos/graph/program.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

template <class E>
class Tape;

namespace detail {

/// The state a tape shares with its values; outlives the tape, so that a stale value can say so.
template <class E>
struct Recorder {
  enum class State { recording, sealed, destroyed };
  State state = State::recording;
  Program<E> program;
};

/// Throws UsageError unless the tape is recording.
template <class E>
void require_recording(const Recorder<E>& recorder, NodeIndex index, const std::source_location& where);

/// A leaf held in the precision, to which its payload is rounded.
template <class E>
NodeIndex append_leaf(Recorder<E>& recorder, Tensor<E> payload, Precision precision = Precision::working);

}  // namespace detail

/// A small copyable handle on a node of a tape that is still recording. Using it after the tape was sealed or
/// destroyed, or together with a value of another tape, throws UsageError and changes nothing.
/// Nodes are numbered as they are recorded, and C++ leaves the order open in which the two operands of an
/// operator or the arguments of a call are evaluated: in f(x) + g(y), give f(x) a name first where numbers
/// matter.
template <class E>
class Value {
 public:
  // Declared, so that moving copies: a value that was moved from still names its node.
  Value(const Value&) = default;
  Value& operator=(const Value&) = default;
  /// Throws UsageError when the tape is no longer recording.
  Shape shape(const Where& where = Where::current()) const;
  /// What the node is held in.
  Precision precision(const Where& where = Where::current()) const;
  /// The node's name, which stays good when the tape is sealed.
  Symbol symbol() const { return recorder_->program.graph.symbol(index_); }
  operator Symbol() const { return symbol(); }  // NOLINT(google-explicit-constructor): a value names its node
  NodeIndex index() const { return index_; }    ///< the node's position on the tape

  // The vocabulary of ops/recordable.hpp: here it records. The operands of one operation must be held alike
  // (UsageError). A constant is held as the value beside which it is recorded, rounded once.
  static Value apply(const Operation& operation, std::span<const Value> operands,
                     const std::source_location& where);
  Value constant(const Shape& shape, double value) const;
  Value lowest_finite(const Shape& shape) const;
  /// Records a constant on this value's tape, held as this value is.
  Value leaf(Tensor<E> payload, const Where& where = Where::current()) const;
  /// The value behind a symbol of this value's tape: Tape::resolve where only a value is at hand.
  Value resolve(const Symbol& symbol, const Where& where = Where::current()) const;

  // NOLINTBEGIN(google-explicit-constructor): operands convert
  /// A literal operand on either side of an operator, and the caller's place: a tensor or an element (rank 0)
  /// becomes a leaf, recorded before the operation.
  struct Literal {
    Literal(const Tensor<E>& tensor, const Where& at = Where::current()) : payload(tensor), where(at) {}
    Literal(E element, const Where& at = Where::current()) : payload(Tensor<E>(element)), where(at) {}
    // What becomes the leaf, and the caller's place.
    Tensor<E> payload;
    std::source_location where;
  };
  /// The right operand of an operator: a value or a literal.
  struct Operand {
    Operand(const Value& v, const Where& at = Where::current()) : value(v), where(at) {}
    Operand(const Tensor<E>& tensor, const Where& at = Where::current()) : literal(tensor), where(at) {}
    Operand(E element, const Where& at = Where::current()) : literal(Tensor<E>(element)), where(at) {}
    // One of the two, and the caller's place.
    std::optional<Value> value;
    std::optional<Tensor<E>> literal;
    std::source_location where;
  };
  // NOLINTEND(google-explicit-constructor)

  friend Value operator+(const Value& a, const Operand& b) { return combine(make_operation<Add>(), a, b); }
  friend Value operator-(const Value& a, const Operand& b) {
    return combine(make_operation<Subtract>(), a, b);
  }
  friend Value operator*(const Value& a, const Operand& b) {
    return combine(make_operation<Multiply>(), a, b);
  }
  friend Value operator/(const Value& a, const Operand& b) { return combine(make_operation<Divide>(), a, b); }
  friend Value operator+(const Literal& a, const Value& b) { return combine(make_operation<Add>(), a, b); }
  friend Value operator-(const Literal& a, const Value& b) {
    return combine(make_operation<Subtract>(), a, b);
  }
  friend Value operator*(const Literal& a, const Value& b) {
    return combine(make_operation<Multiply>(), a, b);
  }
  friend Value operator/(const Literal& a, const Value& b) { return combine(make_operation<Divide>(), a, b); }
  friend Value operator-(const Value& a) { return negate(a); }
  // The other elementwise functions of two operands, with a literal as an operator has it.
  friend Value maximum(const Value& a, const Operand& b) { return combine(make_operation<Maximum>(), a, b); }
  friend Value maximum(const Literal& a, const Value& b) { return combine(make_operation<Maximum>(), a, b); }
  friend Value step(const Value& a, const Operand& b) { return combine(make_operation<Step>(), a, b); }
  friend Value step(const Literal& a, const Value& b) { return combine(make_operation<Step>(), a, b); }
  friend Value pow(const Value& a, const Operand& b) { return combine(make_operation<Power>(), a, b); }
  friend Value pow(const Literal& a, const Value& b) { return combine(make_operation<Power>(), a, b); }

 private:
  friend class Tape<E>;
  Value(std::shared_ptr<detail::Recorder<E>> recorder, NodeIndex index)
      : recorder_(std::move(recorder)), index_(index) {}

  // A literal's shape is checked before it is recorded, so a refused operation leaves the tape as it was.
  static Value combine(const Operation& operation, const Value& a, const Operand& b);
  static Value combine(const Operation& operation, const Literal& a, const Value& b);

  std::shared_ptr<detail::Recorder<E>> recorder_;
  NodeIndex index_;
};

/// The value held in To: Bf16, to whose numbers it is rounded, or the tape's own element. Records nothing
/// where it is held so already. Values of other tapes than those of float have only their own element.
template <class To, class E>
  requires HeldIn<To, E>
Value<E> convert(const Value<E>& x, const Where& where = Where::current()) {
  return convert(x, detail::precision_for<To, E>, where);
}

// Tensors have the same operators.
template <class E>
Tensor<E> operator+(const Tensor<E>& a, const Tensor<E>& b) {
  return add(a, b);
}
template <class E>
Tensor<E> operator-(const Tensor<E>& a, const Tensor<E>& b) {
  return subtract(a, b);
}
template <class E>
Tensor<E> operator*(const Tensor<E>& a, const Tensor<E>& b) {
  return multiply(a, b);
}
template <class E>
Tensor<E> operator/(const Tensor<E>& a, const Tensor<E>& b) {
  return divide(a, b);
}
template <class E>
Tensor<E> operator-(const Tensor<E>& a) {
  return negate(a);
}

#define TOPOS_INSTANTIATE(E) extern template class Value<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
