// Schedules: what is computed, what is dropped when, and the captured plans.
#include <gtest/gtest.h>

#include "support/captured_loss.hpp"
#include "support/golden_blocks.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

/// A hidden layer, its loss and the recorded gradient: 29 nodes.
struct Walk {
  Symbol weights, input, hidden, loss;
  Adjoints adjoints;
  Network<float> network;
};

Walk walk() {
  Tape<float> tape;
  const auto weights = tape.parameter(T({2, 2}, {0.5f, -0.25f, 0.25f, 0.4f}));
  const auto input = tape.input(T({1, 2}, {1.0f, 2.0f}));
  const auto hidden = tanh(matmul(input, weights));
  const auto loss = sum(hidden * hidden);
  const Adjoints adjoints = tape.differentiate(loss, {weights});
  return {weights, input, hidden, loss, adjoints, std::move(tape).seal()};
}

TEST(PlanText, ShowsWhenEachValueIsFreed) {
  const Walk program = walk();
  const Plan<float> plan = program.network.entry(program.adjoints.roots()).observe({program.hidden}).lower();
  EXPECT_EQ(plan.describe(), testing::golden_text("describe/walk_plan.txt"));
  EXPECT_EQ(describe(plan.live_series()) + "\n", testing::golden_text("describe/walk_live_series.txt"));
}

TEST(PlanText, ComputesOnlyWhatTheResultsDependOn) {
  const Walk program = walk();
  EXPECT_EQ(program.network.entry({program.loss}).lower().describe(),
            testing::golden_text("describe/plan_forward.txt"));
}

TEST(PlanText, KeepsWhatIsObserved) {
  const Walk program = walk();
  EXPECT_EQ(program.network.entry({program.loss}).observe({program.hidden}).lower().describe(),
            testing::golden_text("describe/plan_observe.txt"));
}

TEST(PlanText, KeepsWhatTheReverseScanReads) {
  const Walk program = walk();
  EXPECT_EQ(program.network.entry({program.loss}).retain().lower().describe(),
            testing::golden_text("describe/plan_backward.txt"));
}

TEST(PlanText, OfScalars) {
  Tape<double> tape;
  const auto a = tape.parameter(Tensor<double>(0.5));
  const auto b = tape.input(Tensor<double>(2.0));
  const auto c = tape.input(Tensor<double>(3.0));
  const auto error = a * b - c;
  const auto loss = error * error;
  EXPECT_EQ(std::move(tape).seal().entry({loss}).lower().describe(),
            testing::golden_text("describe/start_plan.txt"));
}

TEST(PlanText, OfTwoFunctionsOfOneProgram) {
  Tape<float> tape;
  const auto weights = tape.parameter(zeros({4, 3}));
  const auto bias = tape.parameter(zeros({3}));
  const auto input = tape.input(zeros({2, 4}));
  const auto product = matmul(input, weights);
  const auto logits = product + broadcast_along(bias, 0, 2);
  const auto loss = testing::captured_cross_entropy(logits, tape.input(zeros({2, 3})));
  const auto probabilities = softmax(logits, 1);
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ("train\n" + network.entry({loss}).lower().describe() + "\nsample\n" +
                network.entry({probabilities}).lower().describe(),
            testing::golden_text("describe/open_exports.txt"));
}

TEST(Results, AreInDeclaredOrderWithDuplicatesDropped) {
  const Walk program = walk();
  const Plan<float> plan = program.network.entry({program.loss, program.hidden, program.loss})
                               .observe({program.input, program.hidden})
                               .observe({program.weights})
                               .lower();
  EXPECT_EQ(plan.results(), (Symbols{program.loss, program.hidden, program.input, program.weights}));
  EXPECT_EQ(plan.arguments(), (Symbols{program.weights, program.input}));
}

TEST(Results, MayBeSourcesOrNothing) {
  const Walk program = walk();
  const Parameters<float> parameters = program.network.parameters();
  const Plan<float> source = program.network.entry({program.input}).lower();
  EXPECT_EQ(source.arguments(), Symbols{program.input});
  EXPECT_EQ(describe(source.forward(parameters, {}).of(program.input)), "[[1, 2]]");
  const Plan<float> nothing = program.network.entry({}).lower();
  EXPECT_TRUE(nothing.results().empty());
  EXPECT_TRUE(nothing.arguments().empty());
  EXPECT_TRUE(nothing.schedule().wanted().empty());
  EXPECT_EQ(nothing.describe(),
            "plan: forward; 0 of 29 nodes evaluated, 0 readable\nlive volume: peak 0 elements at node 0, "
            "retain-all 0\n");
  nothing.forward(parameters, {});
}

TEST(Arguments, AreTheParametersThenTheInputsThatAreNeeded) {
  Tape<float> tape;
  const auto x = tape.input(T(1.0f));
  const auto a = tape.parameter(T(2.0f));
  const auto unused = tape.parameter(T(3.0f));
  const auto y = tape.input(T(4.0f));
  const auto b = tape.parameter(T(5.0f));
  const auto first = a * x;
  const auto second = first * b + y;
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ(network.entry({second}).lower().arguments(), (Symbols{a, b, x, y}));
  EXPECT_EQ(network.entry({first}).lower().arguments(), (Symbols{a, x}));
  EXPECT_EQ(network.entry({unused}).lower().arguments(), Symbols{unused});
}

TEST(Schedules, SayOfEachNodeWhetherItIsComputedAndWhetherItIsRead) {
  const Walk program = walk();
  const Entry<float> entry = program.network.entry({program.loss});
  EXPECT_EQ(entry.memory(), Memory::forward);
  const Plan<float> plan = entry.lower();
  const Schedule& schedule = plan.schedule();
  EXPECT_EQ(schedule.memory(), Memory::forward);
  EXPECT_EQ(schedule.length(), program.network.size());
  EXPECT_TRUE(schedule.is_wanted(program.hidden.index()));
  EXPECT_FALSE(schedule.is_wanted(program.adjoints.of(program.weights).index()));
  std::vector<bool> only_the_loss(schedule.length(), false);
  only_the_loss[program.loss.index()] = true;
  EXPECT_EQ(schedule.result_mask(), only_the_loss);
  EXPECT_EQ(schedule.results(), std::vector<NodeIndex>{program.loss.index()});
  EXPECT_EQ(Entry<float>(entry).retain().lower().schedule().memory(), Memory::retain);
}

TEST(Results, HoldTheNewValuesOfUpdatedParameters) {
  const Walk program = walk();
  const Symbol gradient = program.adjoints.of(program.weights);
  const Plan<float> plan =
      program.network.entry({program.loss}).update({{program.weights, gradient}}).lower();
  EXPECT_EQ(plan.results(), (Symbols{program.loss, gradient}));
  ASSERT_EQ(plan.updates().size(), 1u);
  EXPECT_EQ(plan.updates()[0].parameter, program.weights);
}

TEST(Liveness, ReleasesAValueReadTwiceByOneNodeOnce) {
  Tape<float> tape;
  const auto x = tape.input(zeros({10}));
  const auto square = x * x;
  const auto total = sum(square * square);
  const Plan<float> plan = std::move(tape).seal().entry({total}).lower();
  EXPECT_EQ(describe(plan.live_series()), "[10, 20, 20, 11]");
  EXPECT_EQ(plan.schedule().released_after(0), NodeIndex{1});
  EXPECT_EQ(plan.schedule().released_after(3), std::nullopt);
}

}  // namespace
}  // namespace topos
