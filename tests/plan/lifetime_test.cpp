// What was moved from stays good, and what a temporary answers outlives it.
#include <gtest/gtest.h>

#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

struct Recorded {
  Tape<float> tape;
  Symbol x = tape.parameter(Tensor<float>({2}, {0.5f, -0.25f}));
  Symbol hidden = tanh(tape.resolve(x));
  Symbol loss = sum(tape.resolve(hidden));
};

TEST(Lifetime, a_moved_from_shape_is_of_rank_0) {
  Shape shape{2, 3};
  const Shape taken = std::move(shape);
  EXPECT_EQ(shape, Shape());  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_EQ(shape.volume(), 1);
  EXPECT_EQ(taken.volume(), 6);
}

TEST(Lifetime, moved_from_tensors_plans_entries_and_runs_stay_good) {
  Recorded program;
  const Network<float> network = std::move(program.tape).seal();
  Tensor<float> tensor({2}, {1.0f, 2.0f});
  const Tensor<float> taken_tensor = std::move(tensor);
  EXPECT_TRUE(same_bits(tensor, taken_tensor));  // NOLINT(bugprone-use-after-move): this is what is tested
  Entry<float> entry = network.entry({program.loss});
  const Entry<float> taken_entry = std::move(entry);
  Plan<float> plan = entry.retain().lower();  // NOLINT(bugprone-use-after-move): this is what is tested
  const Plan<float> taken_plan = std::move(plan);
  // NOLINTNEXTLINE(bugprone-use-after-move): this is what is tested
  topos::Run<float> run = plan.forward(network.parameters());
  const topos::Run<float> taken_run = std::move(run);
  EXPECT_TRUE(same_bits(run.of(program.loss), taken_run.of(program.loss)));
  EXPECT_TRUE(
      same_bits(run.backward(program.loss).of(program.x), taken_run.backward(program.loss).of(program.x)));
}

TEST(Lifetime, a_temporary_run_or_state_answers_with_a_value) {
  Recorded program;
  const Network<float> network = std::move(program.tape).seal();
  const Plan<float> plan = network.entry({program.loss}).observe({program.hidden}).lower();
  const Tensor<float>& hidden = plan.forward(network.parameters()).of(program.hidden);
  const Tensor<float>& x = network.parameters().of(program.x);
  EXPECT_TRUE(same_bits(hidden, tanh(x)));
  auto&& entry = network.entry({program.loss}).observe({program.hidden});
  EXPECT_EQ(entry.lower().results().size(), 2u);
}

TEST(Lifetime, a_tape_that_is_assigned_over_is_destroyed) {
  Tape<float> first;
  const Value<float> stale = first.leaf(Tensor<float>(1.0f));
  Tape<float> second;
  first = std::move(second);
  EXPECT_THROW(tanh(stale), UsageError);
  EXPECT_EQ(first.size(), 0u);
}

TEST(Lifetime, a_payload_outlives_what_is_recorded_after_it) {
  Recorded program;
  const std::optional<Tensor<float>> payload = program.tape.payload(program.x);
  for (int i = 0; i < 100; ++i) program.tape.parameter(Tensor<float>(0.0f));
  EXPECT_EQ(payload->elements()[0], 0.5f);
}

TEST(Lifetime, a_slot_past_the_last_parameter_is_refused) {
  Recorded program;
  const Network<float> network = std::move(program.tape).seal();
  EXPECT_EQ(network.parameters().symbol(0), program.x);
  EXPECT_THROW(network.parameters().symbol(1), UsageError);
}

TEST(Lifetime, views_that_leave_the_elements_are_refused) {
  const Tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THROW(x.narrowed(1, 2, 2), UsageError);
  EXPECT_THROW(x.unfolded(1, 4, 1, 1), UsageError);
  EXPECT_THROW(x.repeated_to({4}), UsageError);
  EXPECT_THROW(x.reshaped({7}), UsageError);
  EXPECT_THROW(x.broadcast_along(3, 2), UsageError);
}

}  // namespace
}  // namespace topos
