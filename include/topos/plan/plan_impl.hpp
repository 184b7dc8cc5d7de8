// Definitions of the plan layer's templates, and the engine of an element that has no kernels.
#pragma once

#include <fmt/format.h>

#include "topos/graph/graph_impl.hpp"
#include "topos/ops/held_tensor.hpp"
#include "topos/plan/checks.hpp"
#include "topos/plan/entry.hpp"
#include "topos/plan/patterns/discover.hpp"

namespace topos {
namespace detail {

/// The feeds by input slot, checked.
template <class E>
std::vector<const Tensor<E>*> bind_feeds(const Program<E>& program, const Feeds<E>& feeds) {
  std::vector<const Tensor<E>*> bound(program.inputs.size(), nullptr);
  for (const Feed<E>& feed : feeds) {
    const Tensor<E>*& slot = bound[check_feed(program, feed)];
    if (slot) throw UsageError(fmt::format("input node {} is fed twice", feed.input.index()));
    slot = &feed.value;
  }
  return bound;
}

/// Evaluates the scheduled nodes in order; with `release`, drops each value after its last reader.
template <class E>
std::vector<std::optional<Tensor<E>>> execute(const Program<E>& program, const Schedule& schedule,
                                              const Parameters<E>& parameters, const Feeds<E>& feeds,
                                              bool release) {
  const Graph& graph = program.graph;
  check_parameters(program, parameters);
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
      values[index] = evaluate_held<E>(node.operation, operands, node.shape, node.precision);
      for (const NodeIndex operand : node.operand_indices()) {
        if (release && schedule.released_after(operand) == index) values[operand].reset();
      }
    }
  }
  return values;
}

/// The engine of an element that topos has no kernels for: node by node, each value dropped after its last
/// reader.
template <class E>
class InterpretingEngine : public Engine<E> {
 public:
  InterpretingEngine(std::shared_ptr<const Program<E>> program, const Schedule& schedule,
                     std::vector<Update> updates)
      : program_(std::move(program)), schedule_(schedule), updates_(std::move(updates)) {}

  std::vector<Tensor<E>> forward(const Parameters<E>& parameters, const Feeds<E>& feeds) override {
    auto values = execute(*program_, schedule_, parameters, feeds, true);
    std::vector<Tensor<E>> results;
    for (const NodeIndex index : schedule_.results()) results.push_back(*values[index]);
    return results;
  }
  std::unique_ptr<SessionState<E>> session(const Parameters<E>& parameters) override {
    check_parameters(*program_, parameters);
    return std::make_unique<State>(*this, parameters);
  }
  std::string describe() override { return "interpreted node by node\n"; }

 private:
  class State : public SessionState<E> {
   public:
    State(const InterpretingEngine& engine, const Parameters<E>& parameters)
        : engine_(engine), parameters_(parameters) {}
    void run(std::span<const Feed<E>> feeds) override {
      const auto values = execute(*engine_.program_, engine_.schedule_, parameters_,
                                  Feeds<E>(feeds.begin(), feeds.end()), true);
      results_.clear();
      for (const NodeIndex index : engine_.schedule_.results()) results_.push_back(values[index]->elements());
      for (const Update& update : engine_.updates_)
        parameters_ = parameters_.with(update.parameter, *values[update.value.index()]);
    }
    std::span<const E> result(std::size_t position) const override { return results_[position].span(); }
    std::vector<Tensor<E>> parameters() const override { return parameters_.payloads(); }
    void set_parameters(const Parameters<E>& parameters) override {
      check_parameters(*engine_.program_, parameters);
      parameters_ = parameters;
    }

   private:
    InterpretingEngine engine_;
    Parameters<E> parameters_;
    std::vector<Elements<E>> results_;
  };

  std::shared_ptr<const Program<E>> program_;
  Schedule schedule_;
  std::vector<Update> updates_;
};

template <class E>
std::shared_ptr<Engine<E>> make_engine(std::shared_ptr<const Program<E>> program, const Schedule& schedule,
                                       const Candidates&, const std::vector<Update>& updates,
                                       const EngineOptions&) {
  return std::make_shared<InterpretingEngine<E>>(std::move(program), schedule, updates);
}

/// Updates checked: parameters, each once, and values of their shapes.
template <class E>
void check_updates(const Program<E>& program, const std::vector<Update>& updates) {
  std::vector<bool> updated(program.parameters.size(), false);
  for (const Update& update : updates) {
    const NodeIndex index = program.graph.resolve(update.parameter);
    const Node& parameter = program.graph[index];
    const Node& value = program.graph[program.graph.resolve(update.value)];
    if (!parameter.operation.template is<Parameter>()) {
      throw UsageError(
          fmt::format("only a parameter can be updated; node {} is a {}", index, parameter.operation.name()));
    }
    if (value.shape != parameter.shape) {
      throw UsageError(fmt::format("parameter node {} has shape {}; its new value, node {}, has shape {}",
                                   index, topos::describe(parameter.shape), update.value.index(),
                                   topos::describe(value.shape)));
    }
    if (value.precision != parameter.precision) {
      throw UsageError(
          fmt::format("the new value of parameter node {}, node {}, is held in {}: convert it to the "
                      "parameter's type",
                      index, update.value.index(), name_of(value.precision)));
    }
    if (updated[parameter.slot]) throw UsageError(fmt::format("parameter node {} is updated twice", index));
    updated[parameter.slot] = true;
  }
}

}  // namespace detail

template <class E>
detail::SessionState<E>& Session<E>::live() const {
  if (!state_) throw UsageError("this session was moved from");
  return *state_;
}

template <class E>
void Session<E>::run(std::span<const Feed<E>> feeds) {
  live().run(feeds);
  has_run_ = true;
}

template <class E>
std::span<const E> Session<E>::value(const Symbol& symbol) const {
  detail::SessionState<E>& state = live();
  const NodeIndex index = program_->graph.resolve(symbol);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i] != index) continue;
    if (!has_run_) throw UsageError("this session has not run yet: there are no values to read");
    return state.result(i);
  }
  throw UsageError(
      fmt::format("this session does not keep the value of node {} ({}): declare it as a root or observe it",
                  index, program_->graph[index].operation.name()));
}

template <class E>
E Session<E>::item(const Symbol& symbol) const {
  const std::span<const E> elements = value(symbol);
  if (elements.size() != 1) {
    throw UsageError(fmt::format("only a value of one element has an item; node {} has {}", symbol.index(),
                                 elements.size()));
  }
  return elements[0];
}

template <class E>
Parameters<E> Session<E>::parameters() const {
  return Parameters<E>(program_->graph, live().parameters());
}

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
  const auto at_node = [&](NodeIndex index, const Tensor<E>& value) {
    return HeldTensor<E>{value, graph[index].precision};
  };
  std::vector<HeldTensor<E>> operands;
  for (NodeIndex index = target_symbol.index() + 1; index-- > 0;) {
    const Node& node = graph[index];
    if (!cotangents[index] || node.operation.is_source()) continue;
    operands.clear();
    for (const NodeIndex operand : node.operand_indices())
      operands.push_back(at_node(operand, *values_[operand]));
    const HeldTensor<E> output = at_node(index, *values_[index]);
    const HeldTensor<E> cotangent = at_node(index, *cotangents[index]);
    const auto contributions = vjp<HeldTensor<E>>(node.operation, {operands, output, cotangent});
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!contributions[i]) continue;
      const HeldTensor<E>& contribution = *contributions[i];
      std::optional<Tensor<E>>& total = cotangents[node.operands[i]];
      const HeldTensor<E> before =
          total ? at_node(node.operands[i], *total) : contribution.constant(contribution.shape(), 0.0);
      total = add(before, contribution).tensor;
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
Plan<E>::Plan(std::shared_ptr<const Program<E>> program, Schedule schedule, std::vector<Update> updates,
              const EngineOptions& options, std::span<const detail::PatternMatcher> patterns)
    : program_(std::move(program)),
      schedule_(std::move(schedule)),
      updates_(std::move(updates)),
      candidates_(std::make_shared<const std::vector<Candidate>>(detail::discover_candidates(
          {program_->graph, schedule_,
           [this](NodeIndex leaf, double value) {
             const Tensor<E>& payload = program_->leaves[program_->graph[leaf].slot];
             return payload.is_uniform() &&
                    payload.narrowed_to_one().item() ==
                        detail::held_number<E>(value, program_->graph[leaf].precision);
           }},
          patterns))),
      engine_(schedule_.memory() == Memory::forward
                  ? detail::make_engine<E>(program_, schedule_, candidates_, updates_, options)
                  : nullptr) {}

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
  if (!engine_) {
    return Run<E>(program_, detail::execute(*program_, schedule_, parameters, feeds, false), true,
                  schedule_.result_mask());
  }
  std::vector<Tensor<E>> results = engine_->forward(parameters, feeds);
  std::vector<std::optional<Tensor<E>>> values(schedule_.length());
  for (std::size_t i = 0; i < results.size(); ++i) values[schedule_.results()[i]] = results[i];
  return Run<E>(program_, std::move(values), false, schedule_.result_mask());
}

template <class E>
detail::Engine<E>& Plan<E>::engine() const {
  if (!engine_) throw UsageError("this plan retains every value for a reverse scan: it is interpreted");
  return *engine_;
}

template <class E>
Session<E> Plan<E>::session(const Parameters<E>& parameters) const {
  return Session<E>(program_, schedule_.results(), engine().session(parameters));
}

template <class E>
std::string Plan<E>::describe_engine() const {
  return engine().describe();
}

template <class E>
Plan<E> Entry<E>::lower() const {
  detail::check_updates(*program_, updates_);
  return Plan<E>(program_, Schedule(program_->graph, roots_, read_besides(), memory_), updates_, options_,
                 patterns_);
}

template <class E>
Symbols Entry<E>::read_besides() const {
  Symbols observed = observes_;
  for (const Update& update : updates_) observed.push_back(update.value);
  return observed;
}

template <class E>
Run<E> Entry<E>::interpret(const Parameters<E>& parameters, const Feeds<E>& feeds) const {
  detail::check_updates(*program_, updates_);
  const Schedule schedule(program_->graph, roots_, read_besides(), Memory::retain);
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
