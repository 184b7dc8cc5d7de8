// Max pools: one winner a window, however many tie, and a cell that wins several windows counts for each.
#include "reports/readings.hpp"
#include "topos/composites/convolution.hpp"

namespace topos::reports {
namespace {

template <class E>
class Pools : public ::testing::Test {};
TYPED_TEST_SUITE(Pools, ElementTypes);
template <class E>
class PoolsText : public EmittedText {};
TYPED_TEST_SUITE(PoolsText, ElementTypes);

/// A pool of one image whose border of `padding` zeros takes part.
template <class E>
Function<E> pool(Extent size, Extent stride, Extent padding = 0) {
  return [=](const std::vector<Value<E>>& v) {
    const Shape in = v[0].shape();
    Value<E> x = v[0];
    if (padding > 0) x = pad(pad(x, 2, padding, in[2] + 2 * padding), 3, padding, in[3] + 2 * padding);
    return max_pool(x, size, stride);
  };
}

template <class E>
Tensor<E> image(Extent height, Extent width, const std::vector<double>& elements) {
  return tensor<E>({1, 1, height, width}, elements);
}

const std::vector<double> columns{1, 4, 7, 2, 5, 8, 3, 6, 9};
const std::vector<double> peak{1,  2,  3,  4,  5,  6,  7,  88, 9,  10, 11, 12,
                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

TYPED_TEST(Pools, give_a_tied_window_to_its_first_cell) {
  using E = TypeParam;
  const Reading<E> one = evaluate(pool<E>(2, 2), {image<E>(2, 2, {1, 1, 1, 1})});
  EXPECT_TRUE(same(one.gradients[0], image<E>(2, 2, {1, 0, 0, 0})));
  const Reading<E> overlapping = evaluate(pool<E>(3, 1), {Tensor<E>::filled({1, 1, 4, 4}, E(2))});
  EXPECT_TRUE(
      same(overlapping.gradients[0], image<E>(4, 4, {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  const Reading<E> partly = evaluate(pool<E>(2, 2), {image<E>(2, 2, {0.3, 0.6, 0.6, 0.1})});
  EXPECT_TRUE(same(partly.gradients[0], image<E>(2, 2, {0, 1, 0, 0})));
}

TYPED_TEST(Pools, count_a_cell_once_for_each_window_it_wins) {
  using E = TypeParam;
  const Reading<E> corners = evaluate(pool<E>(2, 2, 1), {image<E>(3, 3, columns)});
  EXPECT_TRUE(same(corners.value, image<E>(2, 2, {1, 7, 3, 9})));
  EXPECT_TRUE(same(corners.gradients[0], image<E>(3, 3, {1, 0, 1, 0, 0, 0, 1, 0, 1})));
  const Reading<E> wide = evaluate(pool<E>(3, 2, 1), {image<E>(4, 6, peak)});
  EXPECT_TRUE(same(wide.value, image<E>(2, 3, {88, 88, 12, 88, 88, 24})));
  std::vector<double> shares(24, 0.0);
  shares[7] = 4;
  shares[11] = shares[23] = 1;
  EXPECT_TRUE(same(wide.gradients[0], image<E>(4, 6, shares)));
}

TYPED_TEST(Pools, have_no_zeros_beside_negative_cells) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(pool<E>(2, 1), {Tensor<E>::filled({1, 1, 3, 3}, E(-5))});
  EXPECT_TRUE(same(reading.value, Tensor<E>::filled({1, 1, 2, 2}, E(-5))));
  const auto lowest = Tensor<E>::filled({1, 1, 2, 2}, -infinity<E>);
  const Reading<E> infinite = evaluate(pool<E>(2, 1), {lowest});
  EXPECT_TRUE(same(infinite.value, Tensor<E>::filled({1, 1, 1, 1}, -infinity<E>)));
  EXPECT_TRUE(same(infinite.gradients[0], image<E>(2, 2, {1, 0, 0, 0})));
}

TYPED_TEST(Pools, give_a_window_with_a_nan_to_its_last_cell) {
  using E = TypeParam;
  for (const auto& cells : std::initializer_list<std::vector<double>>{
           {NAN, 1, 2, 3}, {5, NAN, 2, 3}, {1, 2, NAN, 3}, {5, 1, 2, NAN}}) {
    const Reading<E> reading = evaluate(pool<E>(2, 2), {image<E>(2, 2, cells)});
    EXPECT_TRUE(same(reading.value, image<E>(1, 1, {NAN})));
    EXPECT_TRUE(same(reading.gradients[0], image<E>(2, 2, {0, 0, 0, 1})));
  }
}

TYPED_TEST(Pools, leave_out_rows_that_no_window_covers) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(pool<E>(2, 2), {image<E>(3, 3, columns)});
  EXPECT_TRUE(same(reading.value, image<E>(1, 1, {5})));
  EXPECT_TRUE(same(reading.gradients[0], image<E>(3, 3, {0, 0, 0, 0, 1, 0, 0, 0, 0})));
}

TYPED_TEST(Pools, with_windows_that_do_not_fit_are_refused) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.input(Tensor<E>::filled({1, 1, 1, 1}, E(1)));
  const std::size_t nodes = tape.size();
  EXPECT_THROW(max_pool(x, 3, 3), ShapeError);
  EXPECT_THROW(max_pool(x, 0, 1), ShapeError);
  EXPECT_THROW(max_pool(x, 1, 0), ShapeError);
  EXPECT_EQ(tape.size(), nodes) << "a refused pool records nothing";
}

TYPED_TEST(PoolsText, have_the_same_winners_in_the_text) {
  using E = TypeParam;
  const auto flat = Tensor<E>::filled({1, 1, 4, 4}, E(2));
  const auto minus_infinite = Tensor<E>::filled({1, 1, 3, 3}, -infinity<E>);
  const std::vector<std::pair<Function<E>, Tensor<E>>> cases{
      {pool<E>(2, 2), flat},
      {pool<E>(3, 1), flat},
      {pool<E>(2, 1), image<E>(3, 3, {0.3, 0.6, 0.6, 0.6, 0.6, 0.1, -0.0, 0.0, 0.0})},
      {pool<E>(2, 1), minus_infinite},
      {pool<E>(2, 2), image<E>(2, 2, {5, NAN, 2, 3})},
      {pool<E>(2, 2, 1), image<E>(3, 3, columns)},
      {pool<E>(3, 2, 1), image<E>(4, 6, peak)},
  };
  for (const auto& [function, at] : cases) {
    EXPECT_TRUE(same(evaluate_text(function, {at}), evaluate(function, {at})));
  }
}

TYPED_TEST(PoolsText, are_named_operations_there_in_both_directions) {
  using E = TypeParam;
  const Recording<E> recording = record(pool<E>(3, 1), {Tensor<E>::filled({1, 1, 4, 4}, E(2))});
  const std::string text = emit_stablehlo(recording.network.entry(recording.roots()).lower());
  EXPECT_NE(text.find("stablehlo.reduce_window"), std::string::npos);
  EXPECT_NE(text.find("stablehlo.select_and_scatter"), std::string::npos);
}

}  // namespace
}  // namespace topos::reports
