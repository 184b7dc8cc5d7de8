// A sealed program.
#pragma once

#include <concepts>

#include "topos/graph/parameters.hpp"
#include "topos/graph/tape.hpp"

namespace topos {

template <class E>
class Entry;
template <class E>
class Run;

/// A value for an input of a program.
template <class E>
struct Feed {
  Symbol input;
  Tensor<E> value;
};
/// One for each input that does not take its default.
template <class E>
using Feeds = std::vector<Feed<E>>;

/// An immutable program; safe to share between threads. Move-only.
template <class E>
class Network {
 public:
  Network(Network&&) noexcept = default;
  Network& operator=(Network&&) noexcept = default;

  // Its nodes: how many, and what they are.
  std::size_t size() const { return graph().size(); }
  const Graph& graph() const { return live().graph; }

  /// The graph with its payloads, shared with the plans of this network; null after a move.
  std::shared_ptr<const Program<E>> program() const { return program_; }
  /// A source's payload; none for a computed node.
  std::optional<Tensor<E>> payload(const Symbol& symbol) const;
  /// Every node, a line each, then how many there are.
  std::string describe() const { return topos::describe(graph(), "network"); }

  /// The parameters' initial values.
  Parameters<E> parameters() const;
  /// What one function of this program computes: its results, in this order. See plan/entry.hpp.
  Entry<E> entry(Symbols roots) const;
  template <std::convertible_to<Symbol> Root>
  Entry<E> entry(const Root& root) const {
    return entry(Symbols{root});
  }
  /// Interprets every node.
  Run<E> forward(const Parameters<E>& parameters, const Feeds<E>& feeds = {}) const;

  /// Goes on recording: same origin, so symbols and parameters stay good. Plans made before are unaffected.
  Tape<E> reopen() &&;

 private:
  friend class Tape<E>;
  explicit Network(Program<E> program) : program_(std::make_shared<Program<E>>(std::move(program))) {}
  const Program<E>& live() const;

  std::shared_ptr<Program<E>> program_;  // not changed while anything shares it
};

#define TOPOS_INSTANTIATE(E) extern template class Network<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
