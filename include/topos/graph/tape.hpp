// Where a program is recorded.
#pragma once

#include "topos/graph/value.hpp"

namespace topos {

class Adjoints;
template <class E>
class Network;

/// A value and the direction in which it moves, of its shape.
template <class E>
struct Tangent {
  Symbol variable;   ///< the value that moves
  Value<E> tangent;  ///< its direction
};
/// One for each variable, none twice.
template <class E>
using Tangents = std::vector<Tangent<E>>;

/// An append-only recording. Not thread-safe: one thread records. Move-only.
template <class E>
class Tape {
 public:
  Tape();
  ~Tape();
  Tape(Tape&&) noexcept = default;
  Tape& operator=(Tape&& other) noexcept;

  /// A constant, part of the program.
  Value<E> leaf(Tensor<E> payload, const Where& where = Where::current());
  /// A trained value; `initial` is what Network::parameters() starts from.
  Value<E> parameter(Tensor<E> initial, const Where& where = Where::current());
  /// A fed value; `fallback` gives its shape, and its value where a run does not feed it.
  Value<E> input(Tensor<E> fallback, const Where& where = Where::current());

  /// The value behind a symbol of this tape, or of the network it was reopened from.
  Value<E> resolve(const Symbol& symbol, const Where& where = Where::current()) const;
  // The nodes recorded so far: how many, and what they are.
  std::size_t size() const { return live().program.graph.size(); }
  const Graph& graph() const { return live().program.graph; }

  /// A source's payload; none for a computed node.
  std::optional<Tensor<E>> payload(const Symbol& symbol) const;
  /// Every node, a line each, then how many there are.
  std::string describe() const { return topos::describe(graph(), "tape"); }

  /// Records the gradient of `loss` (rank 0) with respect to each of `wrt`: a seed of one, then vjp.
  Adjoints differentiate(const Symbol& loss, const Symbols& wrt, const Where& where = Where::current());
  /// Records the vector-Jacobian product of `seed`, of target's shape, at `target`: the derivative rules,
  /// walked backwards over the nodes recorded so far. A value that does not influence the target gets zeros.
  Adjoints vjp(const Symbol& target, const Value<E>& seed, const Symbols& wrt,
               const Where& where = Where::current());
  /// Records the Jacobian-vector product: the derivative of `target`, of its shape, when the variables, which
  /// may be any values, move along their tangents. A target that no variable influences gets zeros.
  Value<E> jvp(const Symbol& target, const Tangents<E>& along, const Where& where = Where::current());
  /// The products of several targets, which share what they have in common.
  std::vector<Value<E>> jvp(const Symbols& targets, const Tangents<E>& along,
                            const Where& where = Where::current());

  /// Ends the recording: this tape and its values can no longer be used, symbols can.
  Network<E> seal() &&;

 private:
  friend class Network<E>;
  explicit Tape(Program<E> program);
  detail::Recorder<E>& live(const std::source_location& where = std::source_location::current()) const;

  std::shared_ptr<detail::Recorder<E>> recorder_;
};

#define TOPOS_INSTANTIATE(E) extern template class Tape<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
