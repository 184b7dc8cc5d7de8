// Forward mode by transformation, without rules of its own. The reverse scan of a placeholder u records J'u,
// a program linear in u; its transpose, by the same scan, is J. So a tangent has the very coefficients of the
// gradient, ties and special points included, and an operation has one derivative rule. Nothing of the result
// reads u: the nodes that do are never wanted by a plan.
#pragma once

#include <unordered_set>

#include "topos/differentiate/reverse_impl.hpp"

namespace topos {
namespace detail {

/// The nodes that one of `sources` influences, or is.
inline std::vector<bool> influenced(const Graph& graph, const std::vector<NodeIndex>& sources) {
  std::vector<bool> result(graph.size(), false);
  for (const NodeIndex source : sources) result[source] = true;
  for (NodeIndex index = 0; index < graph.size(); ++index) {
    for (const NodeIndex operand : graph[index].operand_indices()) {
      if (result[operand]) result[index] = true;
    }
  }
  return result;
}

/// A value and the cotangent to begin with.
struct Seed {
  NodeIndex node;
  NodeIndex cotangent;
};

/// The cotangents of the nodes recorded so far, from the seeds, where one of `sources` reaches; elsewhere
/// nothing is added up. A first contribution is the sum itself: unlike vjp's it is not added to zeros.
template <class E, class ValueOf>
std::vector<NodeIndex> pull_back(const Graph& graph, const ValueOf& value, const std::vector<Seed>& seeds,
                                 const std::vector<NodeIndex>& sources) {
  const std::vector<bool> reached = influenced(graph, sources);
  std::vector<NodeIndex> cotangents(graph.size(), no_cotangent);
  const auto accumulate = [&](NodeIndex node, const Value<E>& contribution) {
    if (!reached[node]) return;
    NodeIndex& total = cotangents[node];
    total = total == no_cotangent ? contribution.index() : add(value(total), contribution).index();
  };
  for (const Seed& seed : seeds) accumulate(seed.node, value(seed.cotangent));
  scan_backwards<E>(graph, cotangents, value, accumulate);
  return cotangents;
}

}  // namespace detail

template <class E>
std::vector<Value<E>> Tape<E>::jvp(const Symbols& targets, const Tangents<E>& along, const Where& where) {
  for (const Symbol& target : targets) resolve(target, where);
  std::vector<NodeIndex> variables;
  std::unordered_set<NodeIndex> named;
  for (const auto& [symbol, tangent] : along) {
    const Value<E> variable = resolve(symbol, where);
    detail::require_recording(*tangent.recorder_, tangent.index(), where);
    if (tangent.recorder_ != recorder_) {
      throw UsageError(fmt::format("the tangent of node {} belongs to another tape; at {}", variable.index(),
                                   topos::describe(where)));
    }
    if (tangent.shape() != variable.shape()) {
      throw UsageError(fmt::format("a tangent must have its variable's shape; node {} has {}, got {}; at {}",
                                   variable.index(), topos::describe(variable.shape()),
                                   topos::describe(tangent.shape()), topos::describe(where)));
    }
    if (tangent.precision() != variable.precision()) {
      throw UsageError(fmt::format("a tangent must be held as its variable, node {}, is: convert it; at {}",
                                   variable.index(), topos::describe(where)));
    }
    if (!named.insert(variable.index()).second) {
      throw UsageError(
          fmt::format("node {} has two tangents: add them; at {}", variable.index(), topos::describe(where)));
    }
    variables.push_back(variable.index());
  }

  const auto value = [&](NodeIndex index) { return Value<E>(recorder_, index); };
  std::vector<NodeIndex> placeholders;
  std::vector<detail::Seed> seeds;
  for (const Symbol& target : targets) {
    const Value<E> zeros = value(target.index()).constant(graph()[target.index()].shape, 0.0);
    placeholders.push_back(zeros.index());
    seeds.push_back({target.index(), zeros.index()});
  }
  const std::vector<NodeIndex> gradients = detail::pull_back<E>(graph(), value, seeds, variables);
  seeds.clear();
  for (const auto& [symbol, tangent] : along) {
    const NodeIndex gradient = gradients[symbol.index()];
    if (gradient != detail::no_cotangent) seeds.push_back({gradient, tangent.index()});
  }
  const std::vector<NodeIndex> tangents = detail::pull_back<E>(graph(), value, seeds, placeholders);

  std::vector<Value<E>> products;
  for (const NodeIndex placeholder : placeholders) {
    // A placeholder that nothing moves is the zeros that its target gets.
    products.push_back(
        value(tangents[placeholder] == detail::no_cotangent ? placeholder : tangents[placeholder]));
  }
  return products;
}

template <class E>
Value<E> Tape<E>::jvp(const Symbol& target, const Tangents<E>& along, const Where& where) {
  return jvp(Symbols{target}, along, where)[0];
}

}  // namespace topos
