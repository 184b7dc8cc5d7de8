// Schedules: their formulas, PyTorch's numbers, and bits that are the same on every machine.
#include "topos/nn/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/captured_numbers.hpp"
#include "topos/base/error.hpp"
#include "topos/element/element.hpp"

namespace topos {
namespace {

TEST(Schedules, OfAConstantNeverChange) {
  const ConstantRate schedule{0.3};
  EXPECT_EQ(schedule(0), 0.3);
  EXPECT_EQ(schedule(1'000'000'000'000), 0.3);
}

TEST(Schedules, OfAStepDecayFallAtEachInterval) {
  const StepDecayRate schedule{.rate = 0.1, .factor = 0.5, .interval = 3};
  for (const std::int64_t step : {0, 1, 2}) EXPECT_EQ(schedule(step), 0.1);
  for (const std::int64_t step : {3, 4, 5}) EXPECT_EQ(schedule(step), 0.05);
  EXPECT_EQ(schedule(30), std::ldexp(0.1, -10));
}

TEST(Schedules, OfAWarmupRiseToTheRateInItsLastStep) {
  const WarmupRate schedule{.rate = 0.5, .warmup = 4};
  const std::vector<double> expected{0.125, 0.25, 0.375, 0.5, 0.5, 0.5};
  for (std::size_t step = 0; step < expected.size(); ++step) {
    EXPECT_EQ(schedule(static_cast<std::int64_t>(step)), expected[step]);
  }
  EXPECT_EQ((WarmupRate{.rate = 0.5, .warmup = 0})(0), 0.5);
}

TEST(Schedules, OfACosineWarmUpFallAndStayAtTheFloor) {
  const CosineRate schedule{.peak = 1.0, .floor = 0.25, .warmup = 10, .steps = 110};
  for (std::int64_t step = 0; step < 10; ++step)
    EXPECT_EQ(schedule(step), static_cast<double>(step + 1) / 10.0);
  EXPECT_EQ(schedule(10), 1.0);
  EXPECT_EQ(schedule(60), 0.625);
  for (std::int64_t step = 10; step < 110; ++step) EXPECT_GT(schedule(step), schedule(step + 1)) << step;
  for (const std::int64_t step : {110, 111, 1'000'000}) EXPECT_EQ(schedule(step), 0.25);
}

TEST(Schedules, GiveWhatPyTorchGives) {
  const auto numbers = testing::captured_numbers("nn/captured/optimizers.txt");
  const StepDecayRate decay{.rate = 0.3, .factor = 0.3, .interval = 4};
  const CosineRate cosine{.peak = 0.3, .floor = 0.01, .steps = 20};
  for (std::size_t step = 0; step < 20; ++step) {
    // PyTorch makes each rate from the one before, with roundings that add up.
    const double decayed = numbers.at("schedule step_decay")[step],
                 fallen = numbers.at("schedule cosine")[step];
    EXPECT_NEAR(decay(static_cast<std::int64_t>(step)), decayed, 1e-14 * decayed);
    EXPECT_NEAR(cosine(static_cast<std::int64_t>(step)), fallen, 1e-14 * fallen);
  }
}

TEST(Schedules, HaveTheSameBitsOnEveryMachine) {
  // From the documented formula with a correctly rounded cosine and power.
  const CosineRate cosine{.peak = 3e-4, .floor = 3e-5, .warmup = 7, .steps = 1000};
  EXPECT_EQ(bits_of(cosine(3)), 0x3f267830373ccbdcu);
  EXPECT_EQ(bits_of(cosine(100)), 0x3f3347d534d6b7edu);
  EXPECT_EQ(bits_of(cosine(501)), 0x3f25c44f1dd50ddeu);
  EXPECT_EQ(bits_of(cosine(999)), 0x3eff753ebb063d8cu);
  EXPECT_EQ(bits_of((StepDecayRate{.rate = 0.1, .factor = 0.95, .interval = 2})(77)), 0x3f8d29a349bce5edu);
  EXPECT_EQ(bits_of(static_cast<float>(cosine(501))), 0x392e2279u);
}

TEST(Schedules, RefuseWhatHasNoMeaning) {
  const StepDecayRate decay{.rate = 0.1, .factor = 0.5, .interval = 3};
  const WarmupRate warmup{.rate = 0.1, .warmup = 3};
  const CosineRate cosine{.peak = 0.1, .warmup = 3, .steps = 10};
  EXPECT_THROW(decay(-1), UsageError);
  EXPECT_THROW(warmup(-1), UsageError);
  EXPECT_THROW(cosine(-1), UsageError);
  EXPECT_THROW((StepDecayRate{.rate = 0.1, .factor = 0.5, .interval = 0})(1), UsageError);
  EXPECT_THROW((WarmupRate{.rate = 0.1, .warmup = -1})(1), UsageError);
  EXPECT_THROW((CosineRate{.peak = 0.1, .warmup = -1, .steps = 10})(1), UsageError);
  EXPECT_THROW((CosineRate{.peak = 0.1, .warmup = 10, .steps = 10})(1), UsageError);
  EXPECT_THROW((CosineRate{.peak = 0.1, .steps = 0})(0), UsageError);
}

}  // namespace
}  // namespace topos
