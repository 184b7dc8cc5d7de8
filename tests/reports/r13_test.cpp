// Rows taken several times: their cotangents add, in the order of the indices.
#include "reports/readings.hpp"
#include "topos/composites/axes.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class RepeatedRows : public ::testing::Test {};
TYPED_TEST_SUITE(RepeatedRows, ElementTypes);
template <class E>
class RepeatedRowsText : public EmittedText {};
TYPED_TEST_SUITE(RepeatedRowsText, ElementTypes);

/// Rows `ids` of a table, times `weights`.
template <class E>
Function<E> weighted_rows(std::vector<std::int64_t> ids, const Tensor<E>& weights) {
  return [ids, weights](const std::vector<Value<E>>& v) {
    return gather(v[0], v[0].leaf(Tensor<E>::selection(ids, v[0].shape()[0]))) * v[0].leaf(weights);
  };
}

TYPED_TEST(RepeatedRows, add_their_cotangents) {
  using E = TypeParam;
  const Reading<E> twice =
      evaluate(weighted_rows({0, 0}, tensor<E>({2}, {0.2, 0.3})), {tensor<E>({1}, {0.1})});
  EXPECT_TRUE(same(twice.gradients[0], tensor<E>({1}, {0.5})));
  // elements (1,1), (1,1) and (0,0) of a 2 x 2 matrix
  const Function<E> elements = [](const auto& v) {
    return gather(reshape(v[0], {4}), v[0].leaf(Tensor<E>::selection({3, 3, 0}, 4)));
  };
  EXPECT_TRUE(same(evaluate(elements, {tensor<E>({2, 2}, {1, 2, 3, 4})}).gradients[0],
                   tensor<E>({2, 2}, {1, 0, 0, 2})));
  const auto ones = Tensor<E>::filled({3, 2}, E(1));
  const Reading<E> same_row = evaluate(weighted_rows({2, 2, 2}, ones), {Tensor<E>::filled({4, 2}, E(7))});
  EXPECT_TRUE(same(same_row.gradients[0], tensor<E>({4, 2}, {0, 0, 0, 0, 3, 3, 0, 0})));
}

TYPED_TEST(RepeatedRows, add_in_the_order_of_their_indices) {
  using E = TypeParam;
  // (0 + 2^60) + 1 - 2^60 = 0 in this order and in no other
  const double large = std::ldexp(1.0, 60);
  const Reading<E> reading =
      evaluate(weighted_rows({0, 0, 0}, tensor<E>({3}, {large, 1, -large})), {tensor<E>({1}, {1})});
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({1}, {0})));
  const Reading<E> late =
      evaluate(weighted_rows({0, 0, 0}, tensor<E>({3}, {large, -large, 1})), {tensor<E>({1}, {1})});
  EXPECT_TRUE(same(late.gradients[0], tensor<E>({1}, {1})));
}

TYPED_TEST(RepeatedRows, scatter_alike_and_gather_back) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(
      [](const auto& v) {
        const Value<E> rows = scatter(v[0], v[0].leaf(Tensor<E>::selection({1, 1, 0}, 3)));
        return rows * rows;
      },
      {tensor<E>({3, 1}, {0.25, 0.5, 2})});
  EXPECT_TRUE(same(reading.value, tensor<E>({3, 1}, {4, 0.5625, 0})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({3, 1}, {1.5, 1.5, 4})));
}

TYPED_TEST(RepeatedRows, may_be_no_rows_at_all) {
  using E = TypeParam;
  const Reading<E> reading =
      evaluate(weighted_rows({}, Tensor<E>::filled({0, 2}, E(1))), {tensor<E>({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(reading.value.shape(), Shape({0, 2}));
  EXPECT_TRUE(same(reading.gradients[0], Tensor<E>::filled({2, 2}, E(0))));
}

TYPED_TEST(RepeatedRows, outside_the_table_are_refused) {
  using E = TypeParam;
  for (const std::int64_t id : {std::int64_t{4}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    EXPECT_THROW(Tensor<E>::selection({0, id}, 4), UsageError) << id;
  }
  EXPECT_THROW(Tensor<E>::selection({0}, 0), UsageError) << "an empty table has no row 0";
  Tape<E> tape;
  const Value<E> table = tape.parameter(tensor<E>({4, 1}, {1, 2, 3, 4}));
  EXPECT_THROW(gather(table, tape.leaf(Tensor<E>::selection({0}, 5))), ShapeError);
}

TYPED_TEST(RepeatedRows, are_named_by_one_hot_rows_and_by_nothing_else) {
  using E = TypeParam;
  const auto table = tensor<E>({2, 1}, {3, 5});
  const Tensor<E> dense[] = {tensor<E>({1, 2}, {0, 1})};
  EXPECT_TRUE(same(gather(table, dense[0]), tensor<E>({1, 1}, {5})));
  for (const auto& row :
       std::initializer_list<std::vector<double>>{{0, 0}, {1, 1}, {0, 0.5}, {0, 2}, {NAN, 0}, {-1, 0}}) {
    EXPECT_THROW(gather(table, tensor<E>({1, 2}, row)), UsageError) << row[0] << ", " << row[1];
  }
}

TYPED_TEST(RepeatedRowsText, add_in_the_text) {
  using E = TypeParam;
  const Function<E> function = weighted_rows({2, 0, 2, 2}, tensor<E>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto table = tensor<E>({3, 2}, {0.5, 1, 1.5, 2, 2.5, 3});
  EXPECT_TRUE(same(evaluate_text(function, {table}), evaluate(function, {table})));
}

// The text takes rows by a product with the one-hot matrix, so that a row which is not taken is multiplied by
// 0; at home a row is copied.
TYPED_TEST(RepeatedRowsText, beside_a_row_that_is_not_finite_are_nan_in_the_text) {
  using E = TypeParam;
  const Function<E> function = weighted_rows({0}, tensor<E>({1, 1}, {1}));
  const auto table = tensor<E>({2, 1}, {3, infinity<E>});
  EXPECT_TRUE(same(evaluate(function, {table}).value, tensor<E>({1, 1}, {3})));
  EXPECT_TRUE(same(evaluate_text(function, {table}).value, tensor<E>({1, 1}, {not_a_number<E>})));
}

// So are overlapping windows: the gradient of unfold is a product with a matrix of zeros and ones.
TYPED_TEST(RepeatedRowsText, and_windows_spread_an_infinite_cotangent_as_nan_in_the_text) {
  using E = TypeParam;
  const Function<E> function = [](const auto& v) {
    return unfold(v[0], 0, 2, 1) * v[0].leaf(tensor<E>({2, 2}, {1, 2, 3, infinity<E>}));
  };
  const auto at = tensor<E>({3}, {1, 1, 1});
  EXPECT_TRUE(same(evaluate(function, {at}).gradients[0], tensor<E>({3}, {1, 5, infinity<E>})));
  EXPECT_TRUE(same(evaluate_text(function, {at}).gradients[0],
                   tensor<E>({3}, {not_a_number<E>, not_a_number<E>, infinity<E>})));
}

}  // namespace
}  // namespace topos::reports
