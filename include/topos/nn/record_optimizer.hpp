// Optimizers as part of a program: a session's run is then a training step.
#pragma once

#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/optimizer.hpp"
#include "topos/plan/entry.hpp"

namespace topos {

/// What a step of an optimizer recorded. The state is parameters of the program: a session carries it on, and
/// who saves the parameters saves it.
struct RecordedOptimizer {
  /// One parameter of the program that is not the model's.
  struct State {
    std::string name;                 ///< "step", "first_power", "first"
    Symbol symbol;                    ///< its node
    std::optional<Symbol> parameter;  ///< whose moment it is; none for what all share
  };

  /// For Entry::update: the new values of the trained parameters and of the state.
  std::vector<Update> updates;
  std::vector<State> state;

  /// The state under the names that Optimizer::state gives it. Throws UsageError for a parameter without a
  /// name.
  std::vector<NamedParameter> named_state(const std::vector<NamedParameter>& names) const;
};

namespace detail {
/// Throws UsageError unless all nodes are parameters, each named once.
void require_parameters(const Graph& graph, const std::vector<Adjoints::Pair>& pairs);
}  // namespace detail

/// Records one step of the rule for each parameter that has an adjoint. `rate` has one element: an input that
/// a schedule feeds, or a leaf. Equal to Optimizer::step in every bit. Throws UsageError for an adjoint of
/// something else than a parameter.
template <class E, OptimizerRule<E> Rule>
RecordedOptimizer record_optimizer(Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate,
                                   const Rule& rule) {
  rule.check();
  detail::require_parameters(tape.graph(), adjoints.pairs());
  RecordedOptimizer recorded;
  const auto keep = [&](const std::string& name, const Tensor<E>& initial, std::optional<Symbol> parameter) {
    const Value<E> state = tape.parameter(initial);
    recorded.state.push_back({name, state, parameter});
    return state;
  };

  const Value<E> count = keep("step", Tensor<E>(ElementTraits<E>::from_double(0.0)), std::nullopt);
  std::vector<Value<E>> old_shared;
  for (const auto& [name, initial] : rule.shared()) {
    old_shared.push_back(keep(name, Tensor<E>(initial), std::nullopt));
  }
  const Value<E> next_count = count + ElementTraits<E>::from_double(1.0);
  std::vector<Value<E>> shared = old_shared;
  const auto numbers = rule.advance(next_count, shared);
  recorded.updates.push_back({count, next_count});
  for (std::size_t i = 0; i < shared.size(); ++i) recorded.updates.push_back({old_shared[i], shared[i]});

  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    const Symbol symbol = pair.with_respect_to;
    const Tensor<E> initial = *tape.payload(symbol);
    const auto zeros = Tensor<E>::filled(initial.shape(), ElementTraits<E>::from_double(0.0));
    std::vector<Value<E>> old_moments;
    for (const std::string& name : rule.moments()) old_moments.push_back(keep(name, zeros, symbol));
    OptimizerSlot<Value<E>> slot{tape.resolve(symbol), tape.resolve(pair.gradient), old_moments,
                                 rule.decays(symbol, initial)};
    const Value<E> stepped = rule.update(slot, numbers, rate);
    recorded.updates.push_back({symbol, stepped});
    for (std::size_t i = 0; i < old_moments.size(); ++i) {
      recorded.updates.push_back({old_moments[i], slot.moments[i]});
    }
  }
  return recorded;
}

}  // namespace topos
