// Optimizers. A rule is written once and read twice: over tensors it steps parameters that the caller holds
// (Optimizer, here), over values it is recorded as part of a program (record_optimizer.hpp). Both readings
// are the same operations in the same order, hence the same bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "topos/graph/network.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// One parameter's part of a step, of tensors or of values.
template <class R>
struct OptimizerSlot {
  R parameter, gradient;   ///< as they are before the step
  std::vector<R> moments;  ///< what the rule keeps for this parameter
  bool decays;             ///< whether weight decay is for it
};

/// What SgdRule, AdamRule and a rule of your own are: hyperparameters, and these readings. advance and update
/// are templates, so that they compute over tensors and record over values.
template <class Rule, class E>
concept OptimizerRule =
    std::copyable<Rule> && requires(const Rule& rule, const Symbol& symbol, const Tensor<E>& tensor,
                                    std::vector<Tensor<E>>& shared, OptimizerSlot<Tensor<E>>& slot) {
      /// Throws UsageError for hyperparameters that mean nothing.
      rule.check();
      /// Names and initial values of its rank-0 state, beside "step".
      { rule.shared() } -> std::same_as<std::vector<std::pair<std::string, E>>>;
      /// Names of the tensors that it keeps for each parameter, zeros at first.
      { rule.moments() } -> std::same_as<std::vector<std::string>>;
      /// Whether weight decay is for this parameter.
      { rule.decays(symbol, tensor) } -> std::same_as<bool>;
      /// advance(count, shared) is given the number of this step (1, 2, ...), moves `shared` on, and answers
      /// what update(slot, that, rate) needs of it, which moves the slot's moments on and answers the new
      /// parameter. The rate has one element.
      { rule.update(slot, rule.advance(tensor, shared), tensor) } -> std::same_as<Tensor<E>>;
    };

/// Whether weight decay is for a parameter. Only its symbol and shape may decide.
template <class E>
using DecayPolicy = std::function<bool(const Symbol&, const Tensor<E>&)>;

/// Tensors by name, as a checkpoint keeps them.
template <class E>
using NamedTensors = std::vector<std::pair<std::string, Tensor<E>>>;

namespace detail {

// A constant beside a tensor or a value.
template <class E>
Tensor<E> filled_beside(const Tensor<E>&, const Shape& shape, const E& element) {
  return Tensor<E>::filled(shape, element);
}
template <class E>
Value<E> filled_beside(const Value<E>& value, const Shape& shape, const E& element) {
  return value.leaf(Tensor<E>::filled(shape, element));
}

/// "optimizer.first.0.weights", by the parameter's first name. Throws UsageError when it has none, or shares
/// it with another parameter.
std::string state_name(const std::string& moment, const Symbol& parameter,
                       const std::vector<NamedParameter>& names);
/// Throws UsageError that lists what is missing in `given` and what is too much.
void require_state_names(const std::vector<std::string>& wanted, const std::vector<std::string>& given);
void require_state_shape(const std::string& name, const Shape& wanted, const Shape& given);
[[noreturn]] void refuse_step(const std::string& step);
[[noreturn]] void refuse_other_parameters(std::size_t slots, std::size_t parameters);

}  // namespace detail

/// Steps parameters that the caller holds. Itself a value: a copy goes on from the same state.
template <class E, OptimizerRule<E> Rule>
class Optimizer {
 public:
  /// Throws UsageError for hyperparameters that mean nothing.
  explicit Optimizer(Rule rule = {}) : rule_(std::move(rule)) {
    rule_.check();
    for (const auto& [name, initial] : rule_.shared()) shared_.push_back(Tensor<E>(initial));
  }

  /// The stepped parameters. Every parameter of the program takes part, with zeros for a gradient where none
  /// was requested. Throws UsageError for another program than that of the first step, and then changes
  /// nothing.
  Parameters<E> step(const Parameters<E>& parameters, const ParameterGradients<E>& gradients, const E& rate) {
    Optimizer next = prepared(parameters);
    next.count_ = next.count_ + Tensor<E>(ElementTraits<E>::from_double(1.0));
    const auto numbers = rule_.advance(next.count_, next.shared_);
    std::size_t i = 0;
    Parameters<E> stepped =
        parameters.step(gradients, [&](const Tensor<E>& parameter, const Tensor<E>& gradient) {
          const bool decays = rule_.decays(parameters.symbol(i), parameter);
          OptimizerSlot<Tensor<E>> slot{parameter, gradient, next.moments_[i], decays};
          Tensor<E> result = rule_.update(slot, numbers, Tensor<E>(rate));
          next.moments_[i++] = std::move(slot.moments);
          return result;
        });
    *this = std::move(next);
    return stepped;
  }

  const Rule& rule() const { return rule_; }  ///< with its hyperparameters
  /// How many steps were taken. In f32 the count ends at 2^24; no rule needs more.
  std::int64_t steps() const { return static_cast<std::int64_t>(count_.item()); }

  /// The state of these parameters for a checkpoint: "optimizer.step", what the rule shares, as
  /// "optimizer.first_power", and each parameter's moments, as "optimizer.first.0.weights". Throws UsageError
  /// for a parameter without a name.
  NamedTensors<E> state(const Parameters<E>& parameters, const std::vector<NamedParameter>& names) const {
    Optimizer at = prepared(parameters);
    NamedTensors<E> state;
    for (const auto& [name, tensor] : at.entries(parameters, names)) state.emplace_back(name, *tensor);
    return state;
  }

  /// Goes on from such a state; a recorded optimizer's has the same names. Throws UsageError that lists the
  /// tensors that are missing, too much or of another shape, and then changes nothing.
  void restore(const Parameters<E>& parameters, const std::vector<NamedParameter>& names,
               const NamedTensors<E>& state) {
    Optimizer restored = Optimizer(rule_).prepared(parameters);
    const auto entries = restored.entries(parameters, names);
    std::vector<std::string> wanted, given;
    for (const auto& [name, tensor] : entries) wanted.push_back(name);
    for (const auto& [name, tensor] : state) given.push_back(name);
    detail::require_state_names(wanted, given);
    for (const auto& [name, tensor] : entries) {
      const auto found = std::find(given.begin(), given.end(), name) - given.begin();
      const Tensor<E>& saved = state[static_cast<std::size_t>(found)].second;
      detail::require_state_shape(name, tensor->shape(), saved.shape());
      *tensor = saved;
    }
    const E step = restored.count_.item();
    if (!(step >= ElementTraits<E>::from_double(0.0)) || step >= ElementTraits<E>::from_double(0x1p53)) {
      detail::refuse_step(describe(restored.count_));
    }
    *this = std::move(restored);
  }

 private:
  /// A copy that has moments for these parameters.
  Optimizer prepared(const Parameters<E>& parameters) const {
    Optimizer result = *this;
    if (!origin_) {
      result.origin_ = parameters.origin();
      for (const Tensor<E>& parameter : parameters.payloads()) {
        const auto zeros = Tensor<E>::filled(parameter.shape(), ElementTraits<E>::from_double(0.0));
        result.moments_.emplace_back(rule_.moments().size(), zeros);
      }
    }
    if (result.origin_ != parameters.origin() || result.moments_.size() != parameters.size()) {
      detail::refuse_other_parameters(moments_.size(), parameters.size());
    }
    return result;
  }

  std::vector<std::pair<std::string, Tensor<E>*>> entries(const Parameters<E>& parameters,
                                                          const std::vector<NamedParameter>& names) {
    std::vector<std::pair<std::string, Tensor<E>*>> all{{"optimizer.step", &count_}};
    const auto shared = rule_.shared();
    for (std::size_t i = 0; i < shared.size(); ++i)
      all.emplace_back("optimizer." + shared[i].first, &shared_[i]);
    const std::vector<std::string> moments = rule_.moments();
    for (std::size_t slot = 0; slot < moments_.size(); ++slot) {
      for (std::size_t i = 0; i < moments.size(); ++i) {
        all.emplace_back(detail::state_name(moments[i], parameters.symbol(slot), names), &moments_[slot][i]);
      }
    }
    return all;
  }

  Rule rule_;
  Tensor<E> count_;
  std::vector<Tensor<E>> shared_;
  std::optional<std::uint64_t> origin_;          // of the parameters, from the first step on
  std::vector<std::vector<Tensor<E>>> moments_;  // by slot
};

}  // namespace topos
