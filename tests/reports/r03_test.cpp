// A derivative that does not exist where a mask hides it. Masks here are factors, so a mask after a square
// root multiplies its infinite slope by zero; the safe form replaces the operand before.
#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Masks : public ::testing::Test {};
TYPED_TEST_SUITE(Masks, ElementTypes);
template <class E>
class MasksText : public EmittedText {};
TYPED_TEST_SUITE(MasksText, ElementTypes);

/// `kept` where mask is 1 and 1 where it is 0.
template <class E>
Value<E> or_one(const Value<E>& mask, const Value<E>& kept) {
  return mask * kept + (mask.constant(mask.shape(), 1) - mask);
}

/// The lengths of the rows, short ones taken as 1 before the square root.
template <class E>
Value<E> safe_lengths(const std::vector<Value<E>>& x) {
  const Value<E> squares = sum_along(x[0] * x[0], 1);
  return sqrt(or_one(step(squares, squares.constant(squares.shape(), 0.5)), squares));
}

/// The same, masked after the square root.
template <class E>
Value<E> unsafe_lengths(const std::vector<Value<E>>& x) {
  const Value<E> lengths = sqrt(sum_along(x[0] * x[0], 1));
  return or_one(step(lengths, lengths.constant(lengths.shape(), 0.5)), lengths);
}

template <class E>
Tensor<E> rows_to_normalize() {
  return tensor<E>({3, 2}, {1, 2, 3, 4, 0, 0});
}

TYPED_TEST(Masks, a_mask_before_the_square_root_keeps_the_gradient_finite) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(safe_lengths<E>, {rows_to_normalize<E>()});
  EXPECT_TRUE(near(reading.value, tensor<E>({3}, {std::sqrt(5.0), 5, 1}), roundings<E>(1)));
  const double first = 1 / std::sqrt(5.0);
  EXPECT_TRUE(
      near(reading.gradients[0], tensor<E>({3, 2}, {first, 2 * first, 0.6, 0.8, 0, 0}), roundings<E>(2)));
}

TYPED_TEST(Masks, a_mask_after_the_square_root_leaves_nan_where_the_slope_is_infinite) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(unsafe_lengths<E>, {rows_to_normalize<E>()});
  EXPECT_TRUE(near(reading.value, tensor<E>({3}, {std::sqrt(5.0), 5, 1}), roundings<E>(1)));
  const double first = 1 / std::sqrt(5.0);
  EXPECT_TRUE(near(reading.gradients[0],
                   tensor<E>({3, 2}, {first, 2 * first, 0.6, 0.8, not_a_number<E>, not_a_number<E>}),
                   roundings<E>(2)));
}

TYPED_TEST(MasksText, the_text_has_the_same_gradients) {
  using E = TypeParam;
  for (const Function<E>& function : {Function<E>(safe_lengths<E>), Function<E>(unsafe_lengths<E>)}) {
    // the same IEEE operations: the sums are of two elements
    EXPECT_TRUE(same(evaluate_text(function, {rows_to_normalize<E>()}),
                     evaluate(function, {rows_to_normalize<E>()})));
  }
}

}  // namespace
}  // namespace topos::reports
