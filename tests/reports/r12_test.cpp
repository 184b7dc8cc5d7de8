// A stretched operand's gradient has the operand's own shape: the sum over what it was stretched to.
#include "reports/readings.hpp"
#include "topos/composites/axes.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Stretched : public ::testing::Test {};
TYPED_TEST_SUITE(Stretched, ElementTypes);
template <class E>
class StretchedText : public EmittedText {};
TYPED_TEST_SUITE(StretchedText, ElementTypes);

template <class E>
Tensor<E> counting(const Shape& shape, double from = 1) {
  std::vector<double> elements;
  for (Extent i = 0; i < shape.volume(); ++i) elements.push_back(from + double(i));
  return tensor<E>(shape, elements);
}

/// sum((y - (A + b))^2), b stretched to A's shape.
template <class E>
Value<E> residual(const std::vector<Value<E>>& v) {
  const Value<E> difference = v[0].leaf(counting<E>({3, 4}, 100)) - (v[0] + broadcast_to(v[1], v[0].shape()));
  return sum(difference * difference);
}

TYPED_TEST(Stretched, bias_gets_the_sum_over_the_rows_it_was_added_to) {
  using E = TypeParam;
  for (const Shape& shape : {Shape{4}, Shape{1, 4}}) {
    const Reading<E> reading = evaluate<E>(residual<E>, {counting<E>({3, 4}), counting<E>(shape)});
    EXPECT_TRUE(same(reading.value, tensor<E>({}, {111762})));
    EXPECT_TRUE(same(reading.gradients[1], tensor<E>(shape, {-588, -582, -576, -570})));
    EXPECT_TRUE(same(reading.gradients[0].narrowed(0, 0, 1), tensor<E>({1, 4}, {-196, -194, -192, -190})));
  }
}

TYPED_TEST(Stretched, scalar_gets_a_gradient_of_rank_0) {
  using E = TypeParam;
  const Reading<E> reading =
      evaluate<E>([](const auto& v) { return broadcast(v[0], Shape{2}) * v[0].constant(Shape{2}, 1); },
                  {tensor<E>({}, {0})});
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({}, {2})));
}

TYPED_TEST(Stretched, mean_over_the_leading_axis_then_a_product_gives_each_row_its_part) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(
      [](const auto& v) {
        return matmul(reshape(mean_along(v[0], 0), {1, 3}), v[0].leaf(Tensor<E>::filled({3, 1}, E(10))));
      },
      {Tensor<E>::filled({2, 3}, E(1))});
  EXPECT_TRUE(same(reading.value, tensor<E>({1, 1}, {30})));
  EXPECT_TRUE(same(reading.gradients[0], Tensor<E>::filled({2, 3}, E(5))));
}

TYPED_TEST(Stretched, interior_axis_of_extent_1_gets_the_sum_along_it_alone) {
  using E = TypeParam;
  const Shape wide{2, 1, 3, 4};
  const Shape thin{2, 1, 3, 1};
  const Reading<E> reading = evaluate<E>([&](const auto& v) { return v[0] * broadcast_to(v[1], wide); },
                                         {counting<E>(wide), counting<E>(thin)});
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>(thin, {10, 26, 42, 58, 74, 90})));
  EXPECT_EQ(reading.gradients[0].elements()[4], E(2));
}

TYPED_TEST(Stretched, several_axes_at_once_are_all_summed) {
  using E = TypeParam;
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{1, 1, 1}, Shape{3, 1}, Shape{1, 3, 1}, Shape{4}, Shape{2, 1, 4}}) {
    const Reading<E> reading =
        evaluate<E>([](const auto& v) { return broadcast_to(v[0], {2, 3, 4}); }, {counting<E>(shape)});
    const auto share = static_cast<E>(24 / shape.volume());
    EXPECT_TRUE(same(reading.gradients[0], Tensor<E>::filled(shape, share))) << describe(shape);
  }
}

TYPED_TEST(Stretched, to_a_shape_that_does_not_fit_is_refused) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.input(counting<E>({3}));
  for (const Shape& target : {Shape{4}, Shape{3, 4}, Shape{}, Shape{3, 1}}) {
    EXPECT_THROW(broadcast_to(x, target), ShapeError) << describe(target);
  }
  EXPECT_THROW(x + tape.input(counting<E>({1})), ShapeError) << "operators never stretch on their own";
}

TYPED_TEST(StretchedText, are_summed_in_the_text) {
  using E = TypeParam;
  for (const Shape& shape : {Shape{4}, Shape{1, 4}, Shape{3, 1}, Shape{}}) {
    const std::vector<Tensor<E>> at{counting<E>({3, 4}), counting<E>(shape)};
    EXPECT_TRUE(same(evaluate_text<E>(residual<E>, at), evaluate<E>(residual<E>, at)));
  }
}

}  // namespace
}  // namespace topos::reports
