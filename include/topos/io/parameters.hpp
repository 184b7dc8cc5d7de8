// A program's parameters in a checkpoint, by name.
#pragma once

#include <utility>

#include "topos/graph/parameters.hpp"
#include "topos/io/checkpoint.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// Names that begin so are an optimizer's state, and never taken for a parameter's.
inline constexpr std::string_view optimizer_prefix = "optimizer.";

/// How restore_parameters looks a checkpoint up.
struct RestoreOptions {
  std::string prefix{};                     ///< before every name in the checkpoint
  Narrowing narrowing = Narrowing::refuse;  ///< of f64 tensors that f32 parameters take
  /// Names under the prefix that no parameter has are an error unless this is set.
  bool ignore_unexpected = false;
};

/// Adds each named parameter, as named_parameters() lists them, under prefix + name. A tied parameter is
/// there once for each of its names. Throws UsageError for a name that the checkpoint has already.
template <class E>
void add_parameters(Checkpoint& checkpoint, const Parameters<E>& parameters,
                    const std::vector<NamedParameter>& names, const std::string& prefix = "");

/// `parameters` with the named ones as in the checkpoint; of the names of a tied parameter the last counts.
/// Throws UsageError that lists all names that are missing, or else all that nobody asked for, or else all
/// whose shape is another; an element type that does not fit is named, too.
template <class E>
Parameters<E> restore_parameters(const Parameters<E>& parameters, const std::vector<NamedParameter>& names,
                                 const Checkpoint& checkpoint, const RestoreOptions& options = {});

/// Adds tensors under their own names: an optimizer's state().
template <class E>
void add_tensors(Checkpoint& checkpoint, const std::vector<std::pair<std::string, Tensor<E>>>& tensors);

/// The tensors whose names begin with `prefix`, with their whole names: what an optimizer's restore() takes.
template <class E>
std::vector<std::pair<std::string, Tensor<E>>> tensors_with_prefix(const Checkpoint& checkpoint,
                                                                   std::string_view prefix = optimizer_prefix,
                                                                   Narrowing narrowing = Narrowing::refuse);

}  // namespace topos
