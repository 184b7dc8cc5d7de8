#include "topos/io/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

#include "topos/base/error.hpp"

namespace topos {
namespace {

void require_none(const std::vector<std::string>& wrong, std::string_view what) {
  if (!wrong.empty()) throw UsageError(fmt::format("the checkpoint {}: {}", what, fmt::join(wrong, ", ")));
}

}  // namespace

template <class E>
void add_parameters(Checkpoint& checkpoint, const Parameters<E>& parameters,
                    const std::vector<NamedParameter>& names, const std::string& prefix) {
  for (const auto& [name, symbol] : names) checkpoint.add(prefix + name, parameters.of(symbol));
}

template <class E>
Parameters<E> restore_parameters(const Parameters<E>& parameters, const std::vector<NamedParameter>& names,
                                 const Checkpoint& checkpoint, const RestoreOptions& options) {
  std::vector<std::string> missing, unexpected, misshapen;
  std::unordered_set<std::string> expected;
  for (const auto& [name, symbol] : names) {
    const std::string full = options.prefix + name;
    expected.insert(full);
    if (!checkpoint.has(full)) missing.push_back(full);
  }
  require_none(missing, "has no tensor for these parameters");

  if (!options.ignore_unexpected) {
    const bool state_too = options.prefix.starts_with(optimizer_prefix);
    for (const auto& [name, tensor] : checkpoint.entries()) {
      if (!name.starts_with(options.prefix) || expected.contains(name)) continue;
      if (state_too || !name.starts_with(optimizer_prefix)) unexpected.push_back(name);
    }
    require_none(unexpected, "has tensors that are no parameter's");
  }

  for (const auto& [name, symbol] : names) {
    const Shape& held = checkpoint.of(options.prefix + name).shape();
    const Shape& wanted = parameters.of(symbol).shape();
    if (held != wanted) {
      misshapen.push_back(
          fmt::format("{}{} {} instead of {}", options.prefix, name, describe(held), describe(wanted)));
    }
  }
  require_none(misshapen, "has tensors of another shape");

  Parameters<E> restored = parameters;
  for (const auto& [name, symbol] : names) {
    restored = restored.with(symbol, checkpoint.tensor<E>(options.prefix + name, options.narrowing));
  }
  return restored;
}

template <class E>
void add_tensors(Checkpoint& checkpoint, const std::vector<std::pair<std::string, Tensor<E>>>& tensors) {
  for (const auto& [name, tensor] : tensors) checkpoint.add(name, tensor);
}

template <class E>
std::vector<std::pair<std::string, Tensor<E>>> tensors_with_prefix(const Checkpoint& checkpoint,
                                                                   std::string_view prefix,
                                                                   Narrowing narrowing) {
  std::vector<std::pair<std::string, Tensor<E>>> tensors;
  for (const auto& [name, tensor] : checkpoint.entries()) {
    if (name.starts_with(prefix)) tensors.emplace_back(name, checkpoint.tensor<E>(name, narrowing));
  }
  return tensors;
}

template void add_parameters(Checkpoint&, const Parameters<float>&, const std::vector<NamedParameter>&,
                             const std::string&);
template Parameters<float> restore_parameters(const Parameters<float>&, const std::vector<NamedParameter>&,
                                              const Checkpoint&, const RestoreOptions&);
template void add_tensors(Checkpoint&, const std::vector<std::pair<std::string, Tensor<float>>>&);
template std::vector<std::pair<std::string, Tensor<float>>> tensors_with_prefix(const Checkpoint&,
                                                                                std::string_view, Narrowing);
template void add_parameters(Checkpoint&, const Parameters<double>&, const std::vector<NamedParameter>&,
                             const std::string&);
template Parameters<double> restore_parameters(const Parameters<double>&, const std::vector<NamedParameter>&,
                                               const Checkpoint&, const RestoreOptions&);
template void add_tensors(Checkpoint&, const std::vector<std::pair<std::string, Tensor<double>>>&);
template std::vector<std::pair<std::string, Tensor<double>>> tensors_with_prefix(const Checkpoint&,
                                                                                 std::string_view, Narrowing);

}  // namespace topos
