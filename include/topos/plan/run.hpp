// The values of one pass over a program.
#pragma once

#include "topos/differentiate/adjoints.hpp"
#include "topos/graph/network.hpp"

namespace topos {

template <class E>
class Run;

/// A cotangent per node of a run: what the reverse scan found.
template <class E>
class Gradients {
 public:
  Gradients(const Gradients&) = default;  // moving copies, so that moved-from gradients stay good
  Gradients& operator=(const Gradients&) = default;
  ~Gradients() = default;

  /// The gradient of the scan's target with respect to this node; zeros where it has no influence.
  Tensor<E> of(const Symbol& symbol) const;
  /// The parameters' part, ready for Parameters::step.
  ParameterGradients<E> parameters() const;

 private:
  friend class Run<E>;
  Gradients(std::shared_ptr<const Program<E>> program, std::vector<std::optional<Tensor<E>>> cotangents)
      : program_(std::move(program)), cotangents_(std::move(cotangents)) {}

  std::shared_ptr<const Program<E>> program_;
  std::vector<std::optional<Tensor<E>>> cotangents_;
};

/// Answers what its entry declared, or, when it was interpreted, every node it evaluated. Immutable.
template <class E>
class Run {
 public:
  /// Values by node; `complete` when everything evaluated is there, so that a reverse scan can read it, and
  /// `readable` when only some of it was declared to the caller.
  Run(std::shared_ptr<const Program<E>> program, std::vector<std::optional<Tensor<E>>> values, bool complete,
      std::optional<std::vector<bool>> readable = std::nullopt)
      : program_(std::move(program)),
        values_(std::move(values)),
        complete_(complete),
        readable_(std::move(readable)) {}

  Run(const Run&) = default;  // moving copies, so that a moved-from run stays good
  Run& operator=(const Run&) = default;
  ~Run() = default;

  /// The node's value. Throws UsageError when it was not declared or not computed.
  const Tensor<E>& of(const Symbol& symbol) const&;
  Tensor<E> of(const Symbol& symbol) const&& { return of(symbol); }
  /// The engine's own reverse scan: the derivative rules over payloads, without recording. The second reading
  /// of the derivative, equal in bits to the recorded one. Needs an interpreted run or a plan that retains.
  Gradients<E> backward(const Symbol& target) const;
  /// The recorded gradients of parameters, as one tensor per parameter slot; zeros where none was requested.
  ParameterGradients<E> gradients(const Adjoints& adjoints) const;

 private:
  std::shared_ptr<const Program<E>> program_;
  std::vector<std::optional<Tensor<E>>> values_;
  bool complete_;
  std::optional<std::vector<bool>> readable_;  // absent: everything evaluated
};

#define TOPOS_INSTANTIATE(E)          \
  extern template class Gradients<E>; \
  extern template class Run<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
