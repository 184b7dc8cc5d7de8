// Reverse mode by transformation: the derivative is recorded as more nodes of the same tape.
#pragma once

#include <fmt/format.h>

#include "topos/differentiate/adjoints.hpp"
#include "topos/graph/graph_impl.hpp"
#include "topos/ops/rules.hpp"

namespace topos {
namespace detail {

inline constexpr NodeIndex no_cotangent = ~NodeIndex{0};

/// Records the derivative rule of every node that has a cotangent, from the last to the first.
/// `accumulate(operand, contribution)` adds to the cotangents; `value(index)` is the node as a value.
template <class E, class ValueOf, class Accumulate>
void scan_backwards(const Graph& graph, const std::vector<NodeIndex>& cotangents, const ValueOf& value,
                    const Accumulate& accumulate) {
  for (auto index = static_cast<NodeIndex>(cotangents.size()); index-- > 0;) {
    if (cotangents[index] == no_cotangent) continue;
    const Node node = graph[index];  // a copy: recording moves the nodes
    const std::size_t arity = node.operation.arity();
    if (arity == 0) continue;
    std::array<std::optional<Value<E>>, max_arity> contributions;
    {
      const std::array<Value<E>, max_arity> operands{value(node.operands[0]),
                                                     value(node.operands[arity - 1])};
      const Value<E> output = value(index);
      const Value<E> cotangent = value(cotangents[index]);
      contributions = vjp<Value<E>>(node.operation, {std::span(operands).first(arity), output, cotangent});
    }
    for (std::size_t i = 0; i < arity; ++i) {
      if (contributions[i]) accumulate(node.operands[i], *contributions[i]);
    }
  }
}

}  // namespace detail

template <class E>
Adjoints Tape<E>::differentiate(const Symbol& loss, const Symbols& wrt, const Where& where) {
  const Value<E> target = resolve(loss, where);
  const Shape shape = target.shape();
  if (shape.rank() != 0) {
    throw UsageError(
        fmt::format("only a value of rank 0 has a gradient; node {} has shape {}: reduce it with sum, or "
                    "use vjp with a seed; at {}",
                    target.index(), topos::describe(shape), topos::describe(where)));
  }
  for (const Symbol& symbol : wrt) resolve(symbol);
  return vjp(loss, target.constant(shape, 1.0), wrt, where);
}

template <class E>
Adjoints Tape<E>::vjp(const Symbol& target_symbol, const Value<E>& seed, const Symbols& wrt,
                      const Where& where) {
  const Value<E> target = resolve(target_symbol, where);
  detail::require_recording(*seed.recorder_, seed.index(), where);
  if (seed.recorder_ != recorder_) {
    throw UsageError(
        fmt::format("the seed belongs to another tape than the target; at {}", topos::describe(where)));
  }
  if (seed.shape() != target.shape()) {
    throw UsageError(fmt::format("the seed must have the target's shape {}; got {}; at {}",
                                 topos::describe(target.shape()), topos::describe(seed.shape()),
                                 topos::describe(where)));
  }
  if (seed.precision() != target.precision()) {
    throw UsageError(fmt::format("the seed must be held as its target, node {}, is: convert it; at {}",
                                 target.index(), topos::describe(where)));
  }
  for (const Symbol& symbol : wrt) resolve(symbol);

  // One cotangent per node up to the target; nodes recorded by the rules take no part.
  std::vector<NodeIndex> cotangents(target.index() + std::size_t{1}, detail::no_cotangent);
  cotangents[target.index()] = seed.index();
  const auto value = [&](NodeIndex index) { return Value<E>(recorder_, index); };
  detail::scan_backwards<E>(graph(), cotangents, value, [&](NodeIndex operand, const Value<E>& contribution) {
    NodeIndex& total = cotangents[operand];
    if (total == detail::no_cotangent) total = contribution.constant(contribution.shape(), 0.0).index();
    total = add(value(total), contribution).index();
  });

  std::vector<Adjoints::Pair> pairs;
  for (const Symbol& symbol : wrt) {
    const NodeIndex index = symbol.index();
    NodeIndex gradient = index < cotangents.size() ? cotangents[index] : detail::no_cotangent;
    if (gradient == detail::no_cotangent) gradient = value(index).constant(graph()[index].shape, 0.0).index();
    pairs.push_back({symbol, graph().symbol(gradient)});
  }
  return Adjoints(target_symbol, std::move(pairs));
}

}  // namespace topos
