// R28: sums, means, products and log_softmax of bf16 accumulate in f32 and round once.
#include <gtest/gtest.h>

#include <cmath>

#include "topos/composites/activations.hpp"
#include "topos/composites/axes.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::reports {
namespace {

Tensor<Bf16> filled(const Shape& shape, float value) { return Tensor<Bf16>::filled(shape, Bf16(value)); }

TEST(Bf16Accumulators, do_not_saturate) {
  Tape<Bf16> tape;
  const auto ones = tape.input(filled(Shape({70000}), 1));
  const auto total = sum(ones);
  const auto mean = mean_along(ones, 0);
  const auto logarithms = log_softmax(tape.input(filled(Shape({1, 512}), 0)), 1);
  const auto dot = matmul(tape.input(filled(Shape({1, 1000}), 1)), tape.input(filled(Shape({1000, 1}), 1)));
  const Network<Bf16> network = std::move(tape).seal();
  const auto run = network.entry({total, mean, logarithms, dot}).lower().forward(network.parameters());
  EXPECT_EQ(static_cast<float>(run.of(total).item()), 70144.0f);
  EXPECT_EQ(static_cast<float>(run.of(mean).item()), 1.0f);
  EXPECT_EQ(static_cast<float>(run.of(dot).item()), 1000.0f);
  // The 512 exponentials add up to 512. softmax is the exponential of this node, which is a bf16: 0.00193
  // where rounding once at the end would give 0.001953125.
  for (const Bf16 logarithm : run.of(logarithms).elements()) ASSERT_EQ(logarithm, Bf16(-std::log(512.0f)));
}

// The same on a tape of float, where a value held in bf16 may be converted before what needs more digits.
TEST(Bf16Accumulators, give_the_right_softmax_in_a_program_of_two_types) {
  Tape<float> tape;
  const auto held = [&](const Shape& shape, float value) {
    return convert<Bf16>(tape.input(Tensor<float>::filled(shape, value)));
  };
  const auto ones = held(Shape({70000}), 1);
  const auto total = sum(ones);
  const auto mean = mean_along(ones, 0);
  const auto row = held(Shape({1, 1000}), 1);
  const auto dot = matmul(row, held(Shape({1000, 1}), 1));
  const auto logits = held(Shape({1, 512}), 0);
  const auto probabilities = convert<Bf16>(softmax(convert<float>(logits), 1));
  const auto narrow = softmax(logits, 1);
  const Network<float> network = std::move(tape).seal();
  const auto run =
      network.entry({total, mean, dot, probabilities, narrow}).lower().forward(network.parameters());
  EXPECT_EQ(run.of(total).item(), 70144.0f);
  EXPECT_EQ(run.of(mean).item(), 1.0f);
  EXPECT_EQ(run.of(dot).item(), 1000.0f);
  for (const float probability : run.of(probabilities).elements()) ASSERT_EQ(probability, 0.001953125f);
  for (const float probability : run.of(narrow).elements())
    ASSERT_EQ(probability, float(Bf16(std::exp(-6.25f)))) << "the logarithm is a node, and was rounded";
}

}  // namespace
}  // namespace topos::reports
