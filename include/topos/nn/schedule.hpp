// Learning rates by step, computed in f64 with the same bits on every machine: static_cast<E>(schedule(step))
// rounds once. The first step is 0, so that an optimizer's next rate is that of optimizer.steps().
#pragma once

#include <cstdint>

namespace topos {

/// The same rate always.
struct ConstantRate {
  double rate;

  double operator()(std::int64_t) const { return rate; }
};

/// rate factor^floor(step / interval), as PyTorch's StepLR. Throws UsageError unless interval >= 1 and
/// step >= 0.
struct StepDecayRate {
  double rate;
  double factor;
  std::int64_t interval;

  double operator()(std::int64_t step) const;
};

/// Linear warm-up (Goyal et al., 2017): rate (step + 1) / warmup in steps 0 ... warmup - 1, then rate. Throws
/// UsageError unless warmup >= 0 and step >= 0.
struct WarmupRate {
  double rate;
  std::int64_t warmup;

  double operator()(std::int64_t step) const;
};

/// Half a cosine from `peak` down to `floor` (Loshchilov and Hutter, 2017, without restarts) after a linear
/// warm-up: in steps warmup ... steps,
///   floor + (peak - floor) (1 + cos(pi (step - warmup) / (steps - warmup))) / 2,
/// and `floor` after that. Throws UsageError unless 0 <= warmup < steps and step >= 0.
struct CosineRate {
  double peak;
  double floor = 0.0;
  std::int64_t warmup = 0;
  std::int64_t steps;

  double operator()(std::int64_t step) const;
};

}  // namespace topos
