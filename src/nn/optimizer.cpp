#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topos/nn/record_optimizer.hpp"

namespace topos {
namespace detail {

std::string state_name(const std::string& moment, const Symbol& parameter,
                       const std::vector<NamedParameter>& names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const NamedParameter& named) { return named.symbol == parameter; });
  if (found != names.end()) {
    for (const NamedParameter& other : names) {
      if (other.name != found->name || other.symbol == parameter) continue;
      throw UsageError(fmt::format("two parameters, nodes {} and {}, are both named {}", parameter.index(),
                                   other.symbol.index(), other.name));
    }
    return fmt::format("optimizer.{}.{}", moment, found->name);
  }
  throw UsageError(
      fmt::format("the optimizer keeps state for the parameter of node {}, which none of the {} names "
                  "is for; name it, too",
                  parameter.index(), names.size()));
}

void require_state_names(const std::vector<std::string>& wanted, const std::vector<std::string>& given) {
  const auto without = [](const std::vector<std::string>& some, const std::vector<std::string>& others) {
    std::vector<std::string> left;
    for (const std::string& name : some) {
      if (std::find(others.begin(), others.end(), name) == others.end()) left.push_back(name);
    }
    return left;
  };
  const std::vector<std::string> missing = without(wanted, given), unexpected = without(given, wanted);
  if (missing.empty() && unexpected.empty()) return;
  throw UsageError(fmt::format("the state is not this optimizer's; missing: [{}], unexpected: [{}]",
                               fmt::join(missing, ", "), fmt::join(unexpected, ", ")));
}

void require_state_shape(const std::string& name, const Shape& wanted, const Shape& given) {
  if (wanted == given) return;
  throw UsageError(fmt::format("the state {} has shape {}; got a tensor of shape {}", name, describe(wanted),
                               describe(given)));
}

void refuse_step(const std::string& step) {
  throw UsageError(fmt::format("the state optimizer.step is a count of steps; got {}", step));
}

void refuse_other_parameters(std::size_t slots, std::size_t parameters) {
  throw UsageError(
      fmt::format("an optimizer goes on with the parameters of its first step: {} of one program; got {} "
                  "of another, or of a later state",
                  slots, parameters));
}

void require_parameters(const Graph& graph, const std::vector<Adjoints::Pair>& pairs) {
  Symbols seen;
  for (const Adjoints::Pair& pair : pairs) {
    const Node& node = graph[graph.resolve(pair.with_respect_to)];
    const NodeIndex index = pair.with_respect_to.index();
    if (!node.operation.is<Parameter>()) {
      throw UsageError(fmt::format("an optimizer trains parameters; got an adjoint of node {}, {}", index,
                                   node.operation.name()));
    }
    if (std::find(seen.begin(), seen.end(), pair.with_respect_to) != seen.end()) {
      throw UsageError(
          fmt::format("an optimizer steps each parameter once; node {} has two adjoints", index));
    }
    seen.push_back(pair.with_respect_to);
  }
}

}  // namespace detail

std::vector<NamedParameter> RecordedOptimizer::named_state(const std::vector<NamedParameter>& names) const {
  std::vector<NamedParameter> named;
  for (const State& one : state) {
    named.push_back(
        {one.parameter ? detail::state_name(one.name, *one.parameter, names) : "optimizer." + one.name,
         one.symbol});
  }
  return named;
}

}  // namespace topos
