// The averages of a batch norm's statistics over training, for inference.
#pragma once

#include "topos/composites/normalization.hpp"
#include "topos/nn/module.hpp"
#include "topos/plan/engine.hpp"

namespace topos {

/// running (1 - momentum) + batch momentum: on values, or on tensors where a caller keeps the average.
template <Recordable R>
R running_average(const R& running, const R& batch, double momentum, const Where& where = Where::current()) {
  const R kept = multiply(running, running.constant(shape_of(running, where), 1.0 - momentum), where);
  const R added = multiply(batch, running.constant(shape_of(running, where), momentum), where);
  return add(kept, added, where);
}

/// A variance that was divided by the count of rows, as if by one less. Throws UsageError for less than two
/// rows, which say nothing about a variance.
template <Recordable R>
R unbiased(const R& variance, Extent rows, const Where& where = Where::current()) {
  if (rows < 2) {
    throw UsageError(
        fmt::format("[unbiased] a running variance needs batches of two rows at least; got {}; recorded at "
                    "{}",
                    rows, describe(where)));
  }
  const double ratio = static_cast<double>(rows) / static_cast<double>(rows - 1);
  return multiply(variance, variance.constant(shape_of(variance, where), ratio), where);
}

/// Running mean and variance as parameters of the program that no gradient trains: from 0 and 1, by
/// running_average of each batch's mean and unbiased variance, as PyTorch's BatchNorm has it.
/// Parameters, in recording order: mean, variance.
template <class E>
class RunningStatistics : public Parameterized {
 public:
  /// `momentum` is the share of the newest batch, in 0 ... 1 (UsageError).
  RunningStatistics(Tape<E>& tape, Extent features, double momentum, const Where& where = Where::current())
      : RunningStatistics(checked(momentum, where), Shape({features}), tape, where) {}

  const Symbol& mean() const { return mean_; }
  const Symbol& variance() const { return variance_; }

  /// Records the statistics after `batch`: for Entry::update, or to observe.
  std::vector<Update> updates(const Normalization<Value<E>>& batch,
                              const Where& where = Where::current()) const {
    const auto held = [&](const Value<E>& statistic) {  // as the parameters are, in the tape's own element
      return convert(statistic, Precision::working, where);
    };
    const Value<E> variance = unbiased(held(batch.variance), batch.rows, where);
    const Value<E> next_mean =
        running_average(batch.mean.resolve(mean_, where), held(batch.mean), momentum_, where);
    const Value<E> next_variance =
        running_average(batch.mean.resolve(variance_, where), variance, momentum_, where);
    return {{mean_, next_mean}, {variance_, next_variance}};
  }

  void visit(Visitor& visitor) const override {
    visitor.parameter("mean", mean_);
    visitor.parameter("variance", variance_);
  }

 private:
  RunningStatistics(double momentum, const Shape& shape, Tape<E>& tape, const Where& where)
      : mean_(tape.parameter(Tensor<E>::filled(shape, ElementTraits<E>::from_double(0.0)), where)),
        variance_(tape.parameter(Tensor<E>::filled(shape, ElementTraits<E>::from_double(1.0)), where)),
        momentum_(momentum) {}

  static double checked(double momentum, const Where& where) {
    if (momentum >= 0.0 && momentum <= 1.0) return momentum;
    throw UsageError(
        fmt::format("[RunningStatistics] the momentum must be in 0 ... 1; got {}; recorded at {}", momentum,
                    describe(where)));
  }

  Symbol mean_;
  Symbol variance_;
  double momentum_;
};

}  // namespace topos
