#include "topos/nn/schedule.hpp"

#include <fmt/format.h>

#include <numbers>

#include "topos/base/error.hpp"
#include "topos/element/math.hpp"

namespace topos {
namespace {

void require(bool holds, const char* rule, std::int64_t got) {
  if (!holds) throw UsageError(fmt::format("a schedule needs {}; got {}", rule, got));
}

}  // namespace

double StepDecayRate::operator()(std::int64_t step) const {
  require(step >= 0, "a step of at least 0", step);
  require(interval >= 1, "an interval of at least one step", interval);
  return rate * math::pow(factor, static_cast<double>(step / interval));
}

double WarmupRate::operator()(std::int64_t step) const {
  require(step >= 0, "a step of at least 0", step);
  require(warmup >= 0, "a warm-up of at least 0 steps", warmup);
  if (step >= warmup) return rate;
  return rate * (static_cast<double>(step + 1) / static_cast<double>(warmup));
}

double CosineRate::operator()(std::int64_t step) const {
  require(step >= 0, "a step of at least 0", step);
  require(warmup >= 0, "a warm-up of at least 0 steps", warmup);
  require(warmup < steps, "a warm-up shorter than all its steps", warmup);
  if (step < warmup) return WarmupRate{peak, warmup}(step);
  if (step >= steps) return floor;
  const double done = static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
  return floor + (peak - floor) * (1.0 + math::cos(std::numbers::pi * done)) / 2.0;
}

}  // namespace topos
