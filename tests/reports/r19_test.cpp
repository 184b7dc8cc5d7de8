// Batch norm where the statistics of a batch are degenerate: one row, equal rows.
#include "reports/readings.hpp"
#include "topos/composites/normalization.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/running_statistics.hpp"

namespace topos::reports {
namespace {

template <class E>
class DegenerateBatches : public ::testing::Test {};
TYPED_TEST_SUITE(DegenerateBatches, ElementTypes);
template <class E>
class DegenerateBatchesText : public EmittedText {};
TYPED_TEST_SUITE(DegenerateBatchesText, ElementTypes);

/// x [rows, features], scale and shift [features].
template <class E>
Value<E> normalized(const std::vector<Value<E>>& v) {
  return batch_norm(v[0], v[1], v[2], v[0].leaf(Tensor<E>(E(1e-5)))).output;
}

template <class E>
std::vector<Tensor<E>> batch(Extent rows, const std::vector<double>& elements) {
  return {tensor<E>({rows, 1}, elements), tensor<E>({1}, {2}), tensor<E>({1}, {0.5})};
}

TYPED_TEST(DegenerateBatches, of_one_row_or_of_equal_rows_give_the_shift_and_no_gradient) {
  using E = TypeParam;
  for (const auto& elements : std::initializer_list<std::vector<double>>{
           {0}, {7}, {5, 5}, {-3, -3, -3}, {1e6, 1e6, 1e6, 1e6, 1e6}}) {
    const auto rows = static_cast<Extent>(elements.size());
    const Reading<E> reading = evaluate<E>(normalized<E>, batch<E>(rows, elements));
    EXPECT_TRUE(same(reading.value, Tensor<E>::filled({rows, 1}, E(0.5))));
    for (const E element : reading.gradients[0].elements()) EXPECT_EQ(element, E(0));
    EXPECT_EQ(reading.gradients[1].item(), E(0));
    EXPECT_EQ(reading.gradients[2].item(), static_cast<E>(rows));
  }
}

TYPED_TEST(DegenerateBatches, whose_mean_rounds_are_off_by_what_epsilon_lets_through) {
  using E = TypeParam;
  // The mean of equal rows may be off by a rounding of their sum; divided by sqrt(epsilon) that is all.
  const std::vector<double> elements(7, 0.1);
  const Reading<E> reading = evaluate<E>(normalized<E>, batch<E>(7, elements));
  const double bound = 2.0 * roundings<E>(4) * 0.1 / std::sqrt(1e-5);
  for (const E element : reading.value.elements()) EXPECT_NEAR(element, 0.5, bound);
  for (const E element : reading.gradients[0].elements()) EXPECT_TRUE(std::isfinite(element));
}

TYPED_TEST(DegenerateBatches, of_two_rows_normalize_and_average_as_the_formula_says) {
  using E = TypeParam;
  Tape<E> tape;
  const BatchNorm<E> layer(tape, tensor<E>({1}, {1}), tensor<E>({1}, {0}), E(1e-5));
  const RunningStatistics<E> statistics(tape, 1, 0.1);
  const auto result = layer.express(tape.leaf(tensor<E>({2, 1}, {1, 3})));
  const std::vector<Update> updates = statistics.updates(result);
  const Network<E> network = std::move(tape).seal();
  Session<E> session = network.entry(result.output).update(updates).lower().session(network.parameters());
  session.run();
  const double expected = 1.0 / std::sqrt(1.0 + 1e-5);
  EXPECT_NEAR(session.value(result.output)[0], -expected, roundings<E>(2));
  EXPECT_NEAR(session.value(result.output)[1], expected, roundings<E>(2));
  EXPECT_NEAR(session.parameters().of(statistics.mean()).item(), 0.2, roundings<E>(1));
  EXPECT_NEAR(session.parameters().of(statistics.variance()).item(), 1.1, roundings<E>(2));
}

TYPED_TEST(DegenerateBatches, of_one_row_are_refused_by_the_running_variance) {
  using E = TypeParam;
  Tape<E> tape;
  const BatchNorm<E> layer(tape, tensor<E>({2}, {1, 1}), tensor<E>({2}, {0, 0}), E(1e-5));
  const RunningStatistics<E> statistics(tape, 2, 0.1);
  const auto alone = layer.express(tape.input(tensor<E>({1, 2}, {0, 0})));
  const auto pixels = layer.express(tape.input(Tensor<E>::filled({1, 2, 1, 3}, E(0))));
  EXPECT_EQ(alone.rows, 1);
  EXPECT_EQ(pixels.rows, 3) << "the pixels of one image are rows";
  const std::size_t size = tape.size();
  try {
    statistics.updates(alone);
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("two rows at least; got 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(tape.size(), size);
  EXPECT_NO_THROW(statistics.updates(pixels));
}

TYPED_TEST(DegenerateBatches, never_leave_a_statistic_that_is_not_finite) {
  using E = TypeParam;
  Tape<E> tape;
  const BatchNorm<E> layer(tape, tensor<E>({1}, {1}), tensor<E>({1}, {0}), E(1e-5));
  const RunningStatistics<E> statistics(tape, 1, 0.1);
  const Value<E> input = tape.input(tensor<E>({2, 1}, {0, 0}));
  const auto result = layer.express(input);
  const Value<E> later = layer.express_with(input, statistics.mean(), statistics.variance());
  const std::vector<Update> updates = statistics.updates(result);
  const Network<E> network = std::move(tape).seal();
  Session<E> session =
      network.entry({result.output, later}).update(updates).lower().session(network.parameters());
  for (int step = 0; step < 300; ++step) session.run({{input, tensor<E>({2, 1}, {5, 5})}});
  // what is left of the first mean, and a rounding of each average, the older ones fading by 0.9
  EXPECT_NEAR(session.parameters().of(statistics.mean()).item(), 5.0,
              5 * std::pow(0.9, 300) + roundings<E>(50));
  const E variance = session.parameters().of(statistics.variance()).item();
  EXPECT_GE(variance, E(0));
  EXPECT_LT(variance, E(1e-12)) << "0.9^300";
  for (const E element : session.value(later)) EXPECT_TRUE(std::isfinite(element));
}

TYPED_TEST(DegenerateBatchesText, mean_the_same_in_the_text) {
  using E = TypeParam;
  for (const auto& elements : std::initializer_list<std::vector<double>>{{7}, {5, 5}}) {
    const auto at = batch<E>(static_cast<Extent>(elements.size()), elements);
    EXPECT_TRUE(same(evaluate_text<E>(normalized<E>, at).value, evaluate<E>(normalized<E>, at).value));
  }
}

}  // namespace
}  // namespace topos::reports
