// A NaN is never lost in a selection, wherever it stands and whether it is a constant or an argument.
#include "reports/readings.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class NotANumber : public ::testing::Test {};
TYPED_TEST_SUITE(NotANumber, ElementTypes);
template <class E>
class NotANumberText : public EmittedText {};
TYPED_TEST_SUITE(NotANumberText, ElementTypes);

template <class E>
Value<E> max_along_rows(const Value<E>& x) {
  Value<E> largest = narrow(x, 0, 0, 1);
  for (Extent row = 1; row < x.shape()[0]; ++row) largest = maximum(narrow(x, 0, row, 1), largest);
  return largest;
}

/// [count, count], each column counting, but for a NaN on the diagonal: one at each place.
template <class E>
Tensor<E> nan_at_each_place(Extent count) {
  std::vector<double> elements;
  for (Extent row = 0; row < count; ++row) {
    for (Extent column = 0; column < count; ++column) elements.push_back(row == column ? NAN : double(row));
  }
  return tensor<E>({count, count}, elements);
}

template <class E>
Tensor<E> all_nan(const Shape& shape) {
  return Tensor<E>::filled(shape, not_a_number<E>);
}

/// The function of the argument, and of the argument's value as a constant.
template <class E>
std::vector<Reading<E>> both_ways(const std::function<Value<E>(const Value<E>&)>& function,
                                  const Tensor<E>& at) {
  const auto of_argument = [&](const std::vector<Value<E>>& v) { return function(v[0]); };
  const auto of_constant = [&](const std::vector<Value<E>>& v) { return function(v[0].leaf(at)); };
  return {evaluate<E>(of_argument, {at}), evaluate<E>(of_constant, {Tensor<E>(E(0))})};
}

TYPED_TEST(NotANumber, passes_through_a_maximum_and_a_minimum_from_either_side) {
  using E = TypeParam;
  const std::vector<Tensor<E>> at{tensor<E>({3}, {5, NAN, NAN}), tensor<E>({3}, {NAN, 5, NAN})};
  EXPECT_TRUE(
      same(evaluate<E>([](const auto& v) { return maximum(v[0], v[1]); }, at).value, all_nan<E>({3})));
  EXPECT_TRUE(
      same(evaluate<E>([](const auto& v) { return -maximum(-v[0], -v[1]); }, at).value, all_nan<E>({3})));
}

TYPED_TEST(NotANumber, sends_the_cotangent_of_a_maximum_to_the_left) {
  using E = TypeParam;
  // no comparison with NaN holds, so the right operand does not win
  const Reading<E> reading = evaluate<E>([](const auto& v) { return maximum(v[0], v[1]); },
                                         {tensor<E>({3}, {5, NAN, NAN}), tensor<E>({3}, {NAN, 5, NAN})});
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({3}, {1, 1, 1})));
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>({3}, {0, 0, 0})));
}

TYPED_TEST(NotANumber, passes_through_relu_and_a_clamp) {
  using E = TypeParam;
  const auto clamp = [](const Value<E>& x) {
    const auto bound = [&](double at) { return x.constant(x.shape(), at); };
    return -maximum(-maximum(bound(0), x), -bound(1));
  };
  for (const Reading<E>& r : both_ways<E>(clamp, tensor<E>({3}, {NAN, -1, 2}))) {
    EXPECT_TRUE(same(r.value, tensor<E>({3}, {NAN, 0, 1})));
  }
  for (const Reading<E>& r : both_ways<E>([](const auto& x) { return relu(x); }, tensor<E>({2}, {NAN, -1}))) {
    EXPECT_TRUE(same(r.value, tensor<E>({2}, {NAN, 0})));
  }
}

TYPED_TEST(NotANumber, at_any_place_of_any_length_makes_the_reduction_nan) {
  using E = TypeParam;
  for (const Extent count : {2, 5, 8, 17, 64}) {
    const auto at = nan_at_each_place<E>(count);
    const auto expected = all_nan<E>({1, count});
    for (const Reading<E>& r : both_ways<E>([](const auto& x) { return max_along_rows<E>(x); }, at)) {
      EXPECT_TRUE(same(r.value, expected));
    }
    for (const Reading<E>& r : both_ways<E>([](const auto& x) { return -max_along_rows<E>(-x); }, at)) {
      EXPECT_TRUE(same(r.value, expected));
    }
    for (const Axis axis : {0, 1}) {
      for (const Reading<E>& r : both_ways<E>([&](const auto& x) { return logsumexp(x, axis); }, at)) {
        EXPECT_TRUE(same(r.value, all_nan<E>({count})));
      }
      for (const Reading<E>& r : both_ways<E>([&](const auto& x) { return log_softmax(x, axis); }, at)) {
        EXPECT_TRUE(same(r.value, all_nan<E>({count, count})));
      }
    }
  }
}

TYPED_TEST(NotANumber, at_any_place_of_a_window_makes_its_maximum_nan) {
  using E = TypeParam;
  const auto windows = nan_at_each_place<E>(64).reshaped({64, 1, 8, 8});
  for (const Reading<E>& r : both_ways<E>([](const auto& x) { return max_pool(x, 8, 8); }, windows)) {
    EXPECT_TRUE(same(r.value, all_nan<E>({64, 1, 1, 1})));
  }
}

TYPED_TEST(NotANumberText, is_kept_in_the_text) {
  using E = TypeParam;
  const std::vector<std::function<Value<E>(const Value<E>&)>> functions{
      [](const auto& x) { return max_along_rows<E>(x); },
      [](const auto& x) { return logsumexp(x, 0); },
      [](const auto& x) { return log_softmax(x, 1); },
      [](const auto& x) { return max_pool(reshape(x, {9, 1, 3, 3}), 3, 3); },
  };
  const auto at = nan_at_each_place<E>(9);
  for (const auto& function : functions) {
    const Function<E> of_argument = [&](const auto& v) { return function(v[0]); };
    const Function<E> of_constant = [&](const auto& v) { return function(v[0].leaf(at)); };
    const Tensor<E> expected = evaluate(of_argument, {at}).value;
    EXPECT_TRUE(same(expected, all_nan<E>(expected.shape())));
    EXPECT_TRUE(same(evaluate_text(of_argument, {at}).value, expected));
    EXPECT_TRUE(same(evaluate_text(of_constant, {at}).value, expected));
  }
}

}  // namespace
}  // namespace topos::reports
