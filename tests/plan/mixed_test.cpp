// Training in two types: weights and their updates in f32, products in bf16, the loss in f32.
#include <gtest/gtest.h>

#include "plan/programs.hpp"
#include "topos/nn/adam.hpp"
#include "topos/nn/linear.hpp"

namespace topos {
namespace {

using testing::equal_bits;
using testing::Machine;
using testing::scattered;
using testing::tensor_of;

/// A regression through two layers whose products are of bf16.
struct MixedRegression {
  Symbol inputs, targets, loss;
  Symbols weights;
  Adjoints adjoints;
  std::vector<Update> updates;
  Network<float> network;

  Feeds<float> feeds(std::uint32_t seed) const {
    return {{inputs, scattered<float>(Shape({32, 8}), seed)},
            {targets, scattered<float>(Shape({32, 4}), seed + 100)}};
  }
  Entry<float> training() const { return network.entry(adjoints.roots()).update(updates); }
};

MixedRegression mixed_regression() {
  Tape<float> tape;
  const auto weights = [&](Extent in, Extent out, std::uint32_t seed) {
    return testing::spread_by<float>(0.2, {in, out}, seed);
  };
  const Linear<float> first(tape, weights(8, 24, 1), testing::spread_by<float>(0.1, {24}, 2));
  const Linear<float> second(tape, weights(24, 4, 3));
  const auto inputs = tape.input(scattered<float>(Shape({32, 8}), 4));
  const auto targets = tape.input(scattered<float>(Shape({32, 4}), 5));
  const auto hidden = tanh(first.express(convert<Bf16>(inputs)));
  const auto loss = mean_squared_error(convert<float>(second.express(hidden)), targets);
  const Symbols parameters{first.weights(), *first.bias(), second.weights()};
  const Adjoints adjoints = tape.differentiate(loss, parameters);
  const auto rate = tape.leaf(Tensor<float>(0.01f));
  auto updates = record_adam(tape, adjoints, rate).updates;
  return {inputs, targets, loss, parameters, adjoints, std::move(updates), std::move(tape).seal()};
}

TEST(MixedTraining, ASessionKeepsF32WeightsAndEqualsTheInterpreterInEveryStep) {
  const MixedRegression program = mixed_regression();
  for (const std::string_view set : kernels::instruction_sets()) {
    const Machine machine(2, set);
    const Plan<float> plan = program.training().lower();
    Parameters<float> parameters = program.network.parameters();
    Session<float> session = plan.session(parameters);
    float first = 0.0f;
    for (std::uint32_t step = 0; step < 30; ++step) {
      const Feeds<float> feeds = program.feeds(step % 3);
      const auto expected = program.training().interpret(parameters, feeds);
      session.run(feeds);
      if (step == 0) first = session.item(program.loss);
      for (const Symbol& result : plan.results())
        ASSERT_TRUE(equal_bits(tensor_of(session, plan, result), expected.of(result))) << result.index();
      const Gradients<float> scanned = expected.backward(program.loss);
      for (const Adjoints::Pair& pair : program.adjoints.pairs())
        ASSERT_TRUE(equal_bits(scanned.of(pair.with_respect_to), expected.of(pair.gradient)));
      for (const Update& update : program.updates)
        parameters = parameters.with(update.parameter, expected.of(update.value));
      ASSERT_TRUE(testing::same_parameters(session.parameters(), parameters));
    }
    EXPECT_LT(session.item(program.loss), 0.7f * first);
  }
}

TEST(MixedTraining, F32WeightsKeepStepsThatBf16WeightsLose) {
  // The gradient is 1 and the rate 2^-10: a quarter of the distance from 1 to the bf16 below it.
  const auto trained = [](auto one) {
    using E = decltype(one);
    Tape<E> tape;
    const auto weight = tape.parameter(Tensor<E>(one));
    const auto loss = sum(convert<Bf16>(weight));
    const Adjoints adjoints = tape.differentiate(loss, {weight});
    const auto rate = tape.leaf(Tensor<E>(static_cast<E>(std::ldexp(1.0f, -10))));
    const Symbol name = weight;
    const std::vector<Update> updates = record_sgd(tape, adjoints, rate);
    const Network<E> network = std::move(tape).seal();
    auto session = network.entry(adjoints.roots()).update(updates).lower().session(network.parameters());
    for (int step = 0; step < 512; ++step) session.run();
    return static_cast<float>(session.parameters().of(name).item());
  };
  EXPECT_EQ(trained(1.0f), 0.5f);
  EXPECT_EQ(trained(Bf16(1)), 1.0f);
}

TEST(MixedPlans, RoundInTheGroupsAndTakeRowsByConvertedIndices) {
  Tape<float> tape;
  const auto table = tape.parameter(scattered<float>(Shape({7, 4}), 1));
  const auto ids = tape.input(testing::classes<float>(5, 7, 2));
  const auto rows = gather(convert<Bf16>(table), convert<Bf16>(ids));
  const auto y = tanh(rows * Tensor<float>::filled(rows.shape(), 1.1f)) * rows;
  const Adjoints adjoints = tape.differentiate(sum(convert<float>(y)), {table});
  const Network<float> network = std::move(tape).seal();
  const Entry<float> entry = network.entry(adjoints.roots()).observe({y});
  const Plan<float> plan = entry.lower();
  const std::string steps = plan.describe_engine();
  EXPECT_NE(steps.find("gather rows"), std::string::npos) << steps;
  EXPECT_NE(steps.find("= round to bf16 %"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("reference"), std::string::npos) << steps;
  const auto expected = entry.interpret(network.parameters());
  const auto planned = plan.forward(network.parameters());
  for (const Symbol& result : plan.results())
    EXPECT_TRUE(equal_bits(planned.of(result), expected.of(result)));
}

TEST(MixedPlans, ComputeAFunctionOfOneBufferInEachTypeByItself) {
  Tape<float> tape;
  const auto half = convert<Bf16>(tape.input(scattered<float>(Shape({9}), 1)));
  const auto narrow = exp(half);
  const auto wide = exp(convert<float>(half));
  const auto again = exp(half);
  const auto widened = exp(convert<float>(half));
  const Network<float> network = std::move(tape).seal();
  const Entry<float> entry = network.entry({narrow, wide, again, widened});
  const auto expected = entry.interpret(network.parameters());
  const auto planned = entry.lower().forward(network.parameters());
  for (const Symbol& result : entry.roots())
    EXPECT_TRUE(equal_bits(planned.of(result), expected.of(result))) << result.index();
}

TEST(MixedTraining, ARunAnswersAValueHeldInBf16AsFloats) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>({4}, {1.01171875f, -0.0f, 1e-40f, 3.4e38f}));
  const auto half = convert<Bf16>(x);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({half}).lower();
  EXPECT_TRUE(equal_bits(plan.forward(network.parameters()).of(half),
                         Tensor<float>({4}, {1.015625f, -0.0f, float(Bf16(1e-40f)), INFINITY})));
}

}  // namespace
}  // namespace topos
