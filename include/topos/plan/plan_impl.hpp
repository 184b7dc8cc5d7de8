// Definitions of the plan layer's templates: the engine.
#pragma once

#include <fmt/format.h>

#include "topos/graph/graph_impl.hpp"
#include "topos/ops/rules.hpp"
#include "topos/plan/entry.hpp"
#include "topos/plan/patterns/discover.hpp"

namespace topos {
namespace detail {

/// The feeds by input slot, checked.
template <class E>
std::vector<const Tensor<E>*> bind_feeds(const Program<E>& program, const Feeds<E>& feeds) {
  std::vector<const Tensor<E>*> bound(program.inputs.size(), nullptr);
  for (const Feed<E>& feed : feeds) {
    const NodeIndex index = program.graph.resolve(feed.input);
    const Node& node = program.graph[index];
    if (!node.operation.is<Input>()) {
      throw UsageError(
          fmt::format("only an input can be fed; node {} is a {}", index, node.operation.name()));
    }
    if (feed.value.shape() != node.shape) {
      throw UsageError(fmt::format("input node {} has shape {}; the feed has shape {}", index,
                                   topos::describe(node.shape), topos::describe(feed.value.shape())));
    }
    if (bound[node.slot]) throw UsageError(fmt::format("input node {} is fed twice", index));
    bound[node.slot] = &feed.value;
  }
  return bound;
}

/// Evaluates the scheduled nodes in order; with `release`, drops each value after its last reader.
template <class E>
std::vector<std::optional<Tensor<E>>> execute(const Program<E>& program, const Schedule& schedule,
                                              const Parameters<E>& parameters, const Feeds<E>& feeds,
                                              bool release) {
  const Graph& graph = program.graph;
  if (parameters.origin() != graph.origin() || parameters.size() < program.parameters.size()) {
    throw UsageError(
        fmt::format("the parameters do not fit the program: it has {} parameters, {} were given{}",
                    program.parameters.size(), parameters.size(),
                    parameters.origin() == graph.origin() ? "" : ", of another program"));
  }
  const std::vector<const Tensor<E>*> fed = bind_feeds(program, feeds);
  std::vector<std::optional<Tensor<E>>> values(schedule.length());
  std::vector<Tensor<E>> operands;
  for (const NodeIndex index : schedule.wanted()) {
    const Node& node = graph[index];
    if (node.operation.is<Leaf>()) {
      values[index] = program.leaves[node.slot];
    } else if (node.operation.is<Parameter>()) {
      values[index] = parameters.payloads()[node.slot];
    } else if (node.operation.is<Input>()) {
      values[index] = fed[node.slot] ? *fed[node.slot] : program.inputs[node.slot];
    } else {
      operands.clear();
      for (const NodeIndex operand : node.operand_indices()) operands.push_back(*values[operand]);
      values[index] = evaluate<E>(node.operation, operands, node.shape);
      for (const NodeIndex operand : node.operand_indices()) {
        if (release && schedule.released_after(operand) == index) values[operand].reset();
      }
    }
  }
  return values;
}

}  // namespace detail

template <class E>
Tensor<E> Gradients<E>::of(const Symbol& symbol) const {
  const NodeIndex index = program_->graph.resolve(symbol);
  if (index < cotangents_.size() && cotangents_[index]) return *cotangents_[index];
  return Tensor<E>::filled(program_->graph[index].shape, ElementTraits<E>::from_double(0.0));
}

template <class E>
ParameterGradients<E> Gradients<E>::parameters() const {
  std::vector<Tensor<E>> payloads;
  for (const NodeIndex index : program_->graph.parameters())
    payloads.push_back(of(program_->graph.symbol(index)));
  return ParameterGradients<E>(program_->graph, std::move(payloads));
}

template <class E>
const Tensor<E>& Run<E>::of(const Symbol& symbol) const& {
  const NodeIndex index = program_->graph.resolve(symbol);
  const bool declared = !readable_ || (index < readable_->size() && (*readable_)[index]);
  if (index >= values_.size() || !values_[index] || !declared) {
    throw UsageError(
        fmt::format("this run did not keep the value of node {} ({}): declare it as a root or observe it",
                    index, program_->graph[index].operation.name()));
  }
  return *values_[index];
}

template <class E>
Gradients<E> Run<E>::backward(const Symbol& target_symbol) const {
  const Graph& graph = program_->graph;
  if (!complete_) {
    throw UsageError(
        "this run kept only its results: interpret the entry, or lower it with retain(), to scan it "
        "backwards");
  }
  const Tensor<E>& target = of(target_symbol);
  if (target.rank() != 0) {
    throw UsageError(
        fmt::format("only a value of rank 0 has a gradient; node {} has shape {}: reduce it with sum",
                    target_symbol.index(), topos::describe(target.shape())));
  }
  std::vector<std::optional<Tensor<E>>> cotangents(target_symbol.index() + std::size_t{1});
  cotangents[target_symbol.index()] = target.constant(target.shape(), 1.0);
  std::vector<Tensor<E>> operands;
  for (NodeIndex index = target_symbol.index() + 1; index-- > 0;) {
    const Node& node = graph[index];
    if (!cotangents[index] || node.operation.is_source()) continue;
    operands.clear();
    for (const NodeIndex operand : node.operand_indices()) operands.push_back(*values_[operand]);
    const auto contributions =
        vjp<Tensor<E>>(node.operation, {operands, *values_[index], *cotangents[index]});
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!contributions[i]) continue;
      std::optional<Tensor<E>>& total = cotangents[node.operands[i]];
      if (!total) total = target.constant(contributions[i]->shape(), 0.0);
      total = *total + *contributions[i];
    }
  }
  return Gradients<E>(program_, std::move(cotangents));
}

template <class E>
ParameterGradients<E> Run<E>::gradients(const Adjoints& adjoints) const {
  const Graph& graph = program_->graph;
  std::vector<std::optional<Tensor<E>>> found(graph.parameters().size());
  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    const Node& node = graph[graph.resolve(pair.with_respect_to)];
    if (!node.operation.is<Parameter>()) {
      throw UsageError(
          fmt::format("gradients() collects parameters' gradients; node {} is a {}: read its gradient "
                      "with of()",
                      pair.with_respect_to.index(), node.operation.name()));
    }
    found[node.slot] = of(pair.gradient);
  }
  std::vector<Tensor<E>> payloads;
  for (std::size_t slot = 0; slot < found.size(); ++slot) {
    const Shape& shape = graph[graph.parameters()[slot]].shape;
    payloads.push_back(found[slot] ? *found[slot]
                                   : Tensor<E>::filled(shape, ElementTraits<E>::from_double(0.0)));
  }
  return ParameterGradients<E>(graph, std::move(payloads));
}

template <class E>
Plan<E>::Plan(std::shared_ptr<const Program<E>> program, Schedule schedule)
    : program_(std::move(program)),
      schedule_(std::move(schedule)),
      candidates_(
          discover_candidates({program_->graph, schedule_, [this](NodeIndex leaf, double value) {
                                 const Tensor<E>& payload = program_->leaves[program_->graph[leaf].slot];
                                 return payload.is_uniform() && payload.narrowed_to_one().item() ==
                                                                    ElementTraits<E>::from_double(value);
                               }})) {}

template <class E>
Symbols Plan<E>::results() const {
  Symbols symbols;
  for (const NodeIndex index : schedule_.results()) symbols.push_back(graph().symbol(index));
  return symbols;
}

template <class E>
Symbols Plan<E>::arguments() const {
  Symbols symbols;
  for (const auto* sources : {&graph().parameters(), &graph().inputs()}) {
    for (const NodeIndex index : *sources) {
      if (index < schedule_.length() && schedule_.is_wanted(index)) symbols.push_back(graph().symbol(index));
    }
  }
  return symbols;
}

template <class E>
Run<E> Plan<E>::forward(const Parameters<E>& parameters, const Feeds<E>& feeds) const {
  const bool retain = schedule_.memory() == Memory::retain;
  return Run<E>(program_, detail::execute(*program_, schedule_, parameters, feeds, !retain), retain,
                schedule_.result_mask());
}

template <class E>
Plan<E> Entry<E>::lower() const {
  return Plan<E>(program_, Schedule(program_->graph, roots_, observes_, memory_));
}

template <class E>
Run<E> Entry<E>::interpret(const Parameters<E>& parameters, const Feeds<E>& feeds) const {
  const Schedule schedule(program_->graph, roots_, observes_, Memory::retain);
  return Run<E>(program_, detail::execute(*program_, schedule, parameters, feeds, false), true);
}

template <class E>
Entry<E> Network<E>::entry(Symbols roots) const {
  live();
  return Entry<E>(program_, std::move(roots));
}

template <class E>
Run<E> Network<E>::forward(const Parameters<E>& parameters, const Feeds<E>& feeds) const {
  Symbols everything;
  for (NodeIndex index = 0; index < size(); ++index) everything.push_back(graph().symbol(index));
  return entry(std::move(everything)).interpret(parameters, feeds);
}

}  // namespace topos
