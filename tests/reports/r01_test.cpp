// At a tie of a maximum the cotangent goes to one operand as a whole: the shares sum to what came in, and the
// same operand gets it in the recorded gradient, in the engine's scan and in the emitted text.
#include "reports/readings.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/convolution.hpp"

namespace topos::reports {
namespace {

template <class E>
class Ties : public ::testing::Test {};
TYPED_TEST_SUITE(Ties, ElementTypes);
template <class E>
class TiesText : public EmittedText {};
TYPED_TEST_SUITE(TiesText, ElementTypes);

/// The largest along axis 0 as a program folds it: each slice compared as the left operand.
template <class E>
Value<E> max_along_rows(const Value<E>& x) {
  Value<E> largest = narrow(x, 0, 0, 1);
  for (Extent row = 1; row < x.shape()[0]; ++row) largest = maximum(narrow(x, 0, row, 1), largest);
  return largest;
}

TYPED_TEST(Ties, a_maximum_sends_the_whole_cotangent_to_its_right_operand) {
  using E = TypeParam;
  const Function<E> of_both = [](const auto& x) { return maximum(x[0], x[1]); };
  for (const double tied : {1.0, 0.0, -3.5, 1e-45, 1e30}) {
    const auto at = tensor<E>({2}, {tied, tied});
    const Reading<E> reading = evaluate(of_both, {at, at});
    EXPECT_TRUE(same(reading.gradients[0], tensor<E>({2}, {0, 0})));
    EXPECT_TRUE(same(reading.gradients[1], tensor<E>({2}, {1, 1})));
  }
  // zeros of opposite signs compare equal, so they tie, though the larger by convention is +0
  const Reading<E> zeros = evaluate(of_both, {tensor<E>({2}, {0.0, -0.0}), tensor<E>({2}, {-0.0, 0.0})});
  EXPECT_TRUE(same(zeros.value, tensor<E>({2}, {0, 0})));
  EXPECT_TRUE(same(zeros.gradients[1], tensor<E>({2}, {1, 1})));
}

TYPED_TEST(Ties, a_maximum_with_itself_has_derivative_one) {
  using E = TypeParam;
  for (const double x : {1.0, 0.0, -2.0}) {
    const Reading<E> reading =
        evaluate<E>([](const auto& v) { return maximum(v[0], v[0]); }, {tensor<E>({}, {x})});
    EXPECT_TRUE(same(reading.gradients[0], tensor<E>({}, {1})));
  }
}

TYPED_TEST(Ties, relu_has_derivative_0_at_0_and_abs_minus_1) {
  using E = TypeParam;
  const auto at = tensor<E>({5}, {-2, -0.0, 0.0, 1e-45, 2});
  const Reading<E> rectified = evaluate<E>([](const auto& x) { return relu(x[0]); }, {at});
  EXPECT_TRUE(same(rectified.gradients[0], tensor<E>({5}, {0, 0, 0, 1, 1})));
  const Reading<E> folded = evaluate<E>([](const auto& x) { return abs(x[0]); }, {at});
  EXPECT_TRUE(same(folded.value, tensor<E>({5}, {2, 0, 0, 1e-45, 2})));
  EXPECT_TRUE(same(folded.gradients[0], tensor<E>({5}, {-1, -1, -1, 1, 1})));
  // both ways to write the rectifier: the operand on the right of a tie gets the cotangent
  const Reading<E> x_right =
      evaluate<E>([](const auto& x) { return maximum(x[0].constant(x[0].shape(), 0), x[0]); }, {at});
  EXPECT_TRUE(same(x_right.gradients[0], tensor<E>({5}, {0, 1, 1, 1, 1})));
}

TYPED_TEST(Ties, the_shares_of_a_maximum_along_an_axis_sum_to_one) {
  using E = TypeParam;
  const Function<E> largest = [](const auto& x) { return max_along_rows<E>(x[0]); };
  const Reading<E> ones = evaluate(largest, {Tensor<E>::filled({4, 3}, E(1))});
  EXPECT_TRUE(same(ones.gradients[0], tensor<E>({4, 3}, {1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  const Reading<E> two = evaluate(largest, {tensor<E>({3, 1}, {0.6, 0.6, 0.3})});
  EXPECT_TRUE(same(two.gradients[0], tensor<E>({3, 1}, {1, 0, 0})));
  const Reading<E> late = evaluate(largest, {tensor<E>({4, 1}, {0.3, 0.6, 0.1, 0.6})});
  EXPECT_TRUE(same(late.gradients[0], tensor<E>({4, 1}, {0, 1, 0, 0})));
}

TYPED_TEST(Ties, softplus_is_smooth_where_its_parts_are_not) {
  using E = TypeParam;
  // relu'(0) = 0 and abs'(0) = -1 must cancel into the derivative 1/2
  const Reading<E> reading = evaluate<E>([](const auto& x) { return softplus(x[0]); },
                                         {tensor<E>({6}, {0, -0.0, 1e30, -1e30, infinity<E>, -infinity<E>})});
  EXPECT_TRUE(near(reading.value, tensor<E>({6}, {std::log(2.0), std::log(2.0), 1e30, 0, infinity<E>, 0}),
                   roundings<E>(1)));
  EXPECT_TRUE(near(reading.gradients[0], tensor<E>({6}, {0.5, 0.5, 1, 0, 1, 0}), 0));
}

TYPED_TEST(TiesText, are_resolved_alike_in_the_text) {
  using E = TypeParam;
  const auto at = tensor<E>({5}, {-2, -0.0, 0.0, 1, 2});
  const std::vector<Function<E>> functions{
      [](const auto& x) { return relu(x[0]); },
      [](const auto& x) { return abs(x[0]); },
      [](const auto& x) { return maximum(x[0], x[0]); },
      [](const auto& x) { return maximum(x[0].constant(x[0].shape(), 0), x[0]); },
      [](const auto& x) { return max_along_rows<E>(x[0]); },
  };
  for (const Function<E>& function : functions) {
    EXPECT_TRUE(same(evaluate_text(function, {at}), evaluate(function, {at})));
  }
}

}  // namespace
}  // namespace topos::reports
