// Rows whose maximum is infinite, in the operations that shift by it.
#include "reports/readings.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class InfiniteRows : public ::testing::Test {};
TYPED_TEST_SUITE(InfiniteRows, ElementTypes);
template <class E>
class InfiniteRowsText : public EmittedText {};
TYPED_TEST_SUITE(InfiniteRowsText, ElementTypes);

template <class E>
Value<E> both_rows(const std::vector<Value<E>>& x) {
  return logsumexp(x[0], 1);
}
template <class E>
Value<E> second_row(const std::vector<Value<E>>& x) {
  return narrow(logsumexp(x[0], 1), 0, 1, 1);
}

template <class E>
Tensor<E> masked_row() {
  return tensor<E>({2, 2}, {-infinity<E>, -infinity<E>, 0, 0});
}

TYPED_TEST(InfiniteRows, logsumexp_of_minus_infinity_is_minus_infinity_with_a_zero_gradient) {
  using E = TypeParam;
  const Reading<E> both = evaluate<E>(both_rows<E>, {masked_row<E>()});
  EXPECT_TRUE(near(both.value, tensor<E>({2}, {-infinity<E>, std::log(2.0)}), roundings<E>(1)));
  const auto halves = tensor<E>({2, 2}, {0, 0, 0.5, 0.5});
  EXPECT_TRUE(near(both.gradients[0], halves, roundings<E>(1)));
  const Reading<E> second = evaluate<E>(second_row<E>, {masked_row<E>()});
  EXPECT_TRUE(near(second.gradients[0], halves, roundings<E>(1)));
}

TYPED_TEST(InfiniteRows, logsumexp_along_any_axis_keeps_the_other_lines_as_they_were) {
  using E = TypeParam;
  const auto alone = evaluate<E>([](const auto& x) { return logsumexp(x[0], 0); },
                                 {tensor<E>({3, 1}, {1, -infinity<E>, 3})});
  const Reading<E> beside =
      evaluate<E>([](const auto& x) { return logsumexp(x[0], 0); },
                  {tensor<E>({3, 2}, {1, -infinity<E>, -infinity<E>, -infinity<E>, 3, -infinity<E>})});
  EXPECT_TRUE(same(beside.value.narrowed(0, 0, 1), alone.value));
  EXPECT_TRUE(same(beside.gradients[0].narrowed(1, 0, 1), alone.gradients[0]));
  EXPECT_EQ(describe(beside.gradients[0].narrowed(1, 1, 1)), "[[0], [0], [0]]");
}

TYPED_TEST(InfiniteRows, logsumexp_with_plus_infinity_is_plus_infinity_with_a_nan_slope_there) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(both_rows<E>, {tensor<E>({1, 2}, {infinity<E>, 0})});
  EXPECT_TRUE(same(reading.value, tensor<E>({1}, {infinity<E>})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({1, 2}, {not_a_number<E>, 0})));
}

TYPED_TEST(InfiniteRows, logsumexp_of_minus_infinity_has_zero_second_derivatives) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.parameter(masked_row<E>());
  const Adjoints first = tape.differentiate(sum(logsumexp(x, 1)), {x});
  const Adjoints second = tape.vjp(first.of(x), tape.leaf(tensor<E>({2, 2}, {1, 2, 1, 2})), {x});
  const Network<E> network = std::move(tape).seal();
  const Run<E> run = network.forward(network.parameters(), {});
  const Tensor<E>& product = run.of(second.of(x));
  for (const E element : product.narrowed(0, 0, 1).elements()) EXPECT_EQ(element, E(0));
  EXPECT_TRUE(near(product.narrowed(0, 1, 1), tensor<E>({1, 2}, {-0.25, 0.25}), roundings<E>(2)));
}

TYPED_TEST(InfiniteRows, log_softmax_of_a_row_with_an_infinite_maximum_is_nan) {
  using E = TypeParam;
  constexpr E nan = not_a_number<E>;
  const Reading<E> reading =
      evaluate<E>([](const auto& x) { return log_softmax(x[0], 1); },
                  {tensor<E>({3, 2}, {-infinity<E>, -infinity<E>, infinity<E>, 0, -infinity<E>, 0})});
  EXPECT_TRUE(same(reading.value, tensor<E>({3, 2}, {nan, nan, nan, nan, -infinity<E>, 0})));
}

TYPED_TEST(InfiniteRows, softmax_gives_a_masked_element_no_weight_and_no_gradient) {
  using E = TypeParam;
  const Reading<E> reading =
      evaluate<E>([](const auto& x) { return softmax(x[0], 1) * x[1]; },
                  {tensor<E>({1, 3}, {0, -infinity<E>, 0}), tensor<E>({1, 3}, {1, 2, 3})});
  EXPECT_TRUE(near(reading.value, tensor<E>({1, 3}, {0.5, 0, 1.5}), roundings<E>(2)));
  // p_i (w_i - sum_j p_j w_j), with sums of three roundings
  EXPECT_TRUE(near(reading.gradients[0], tensor<E>({1, 3}, {-0.5, 0, 0.5}), roundings<E>(8)));
}

TYPED_TEST(InfiniteRows, attention_over_a_row_masked_by_the_lowest_finite_number_is_finite) {
  using E = TypeParam;
  const E lowest = std::numeric_limits<E>::lowest();
  const Function<E> attention = [&](const auto& x) {
    const Value<E> mask = x[0].leaf(Tensor<E>::filled({2, 2}, lowest));
    return scaled_dot_product(x[0], x[1], x[2], mask, x[0].leaf(Tensor<E>(E(1))));
  };
  const Reading<E> reading =
      evaluate(attention, {tensor<E>({2, 1}, {1, 2}), tensor<E>({2, 1}, {3, 4}), tensor<E>({2, 1}, {5, 7})});
  EXPECT_TRUE(near(reading.value, tensor<E>({2, 1}, {6, 6}), roundings<E>(2)));
}

TYPED_TEST(InfiniteRowsText, mean_the_same_in_the_text) {
  using E = TypeParam;
  for (const Function<E>& function : {Function<E>(both_rows<E>), Function<E>(second_row<E>)}) {
    // exp and log of the two evaluations may round apart in f64
    EXPECT_TRUE(near(evaluate_text(function, {masked_row<E>()}), evaluate(function, {masked_row<E>()}),
                     roundings<E>(4)));
  }
  const auto infinite = tensor<E>({1, 2}, {infinity<E>, 0});
  EXPECT_TRUE(same(evaluate_text<E>(both_rows<E>, {infinite}), evaluate<E>(both_rows<E>, {infinite})));
  const auto rows = tensor<E>({3, 2}, {-infinity<E>, -infinity<E>, infinity<E>, 0, -infinity<E>, 0});
  const Function<E> log_probabilities = [](const auto& x) { return log_softmax(x[0], 1); };
  EXPECT_TRUE(same(evaluate_text(log_probabilities, {rows}), evaluate(log_probabilities, {rows})));
}

}  // namespace
}  // namespace topos::reports
