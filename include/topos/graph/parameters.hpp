// The trained state of a program, as the caller's own value.
#pragma once

#include <functional>

#include "topos/graph/program.hpp"

namespace topos {

template <class E>
class Network;

/// One tensor per parameter of a program, in recording order. A value: copying shares the elements.
template <class E>
class Parameters {
 public:
  /// Tensors for each slot of `graph`; shapes must match (UsageError).
  Parameters(const Graph& graph, std::vector<Tensor<E>> payloads);

  /// How many.
  std::size_t size() const { return payloads_.size(); }
  /// The program they belong to, as Symbol::origin names it.
  std::uint64_t origin() const { return origin_; }
  /// By slot.
  const std::vector<Tensor<E>>& payloads() const { return payloads_; }
  /// The tensor of a parameter. Throws UsageError for any other symbol.
  const Tensor<E>& of(const Symbol& symbol) const&;
  Tensor<E> of(const Symbol& symbol) const&& { return of(symbol); }
  /// The parameter in a slot. Throws UsageError past the last.
  Symbol symbol(std::size_t slot) const;

  /// A copy with one parameter replaced by a tensor of the same shape.
  Parameters with(const Symbol& symbol, Tensor<E> payload) const;
  /// update(current, direction) for each slot; the shape may not change.
  Parameters step(const Parameters& direction,
                  const std::function<Tensor<E>(const Tensor<E>&, const Tensor<E>&)>& update) const;
  /// This state for a program that was reopened and extended: own tensors for the slots it has, the new
  /// parameters' initial values for the rest.
  Parameters carried_to(const Network<E>& network) const;

 private:
  std::size_t slot(const Symbol& symbol) const;

  std::uint64_t origin_;
  std::vector<NodeIndex> nodes_;
  std::vector<Tensor<E>> payloads_;
};

/// A gradient that has a slot per parameter has the same form.
template <class E>
using ParameterGradients = Parameters<E>;

#define TOPOS_INSTANTIATE(E) extern template class Parameters<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
