// Convolutions whose windows leave rows over, are dilated, or do not fit, and the gradients that go back
// through them.
#include <numeric>

#include "reports/readings.hpp"
#include "topos/composites/convolution.hpp"

namespace topos::reports {
namespace {

template <class E>
class Convolutions : public ::testing::Test {};
TYPED_TEST_SUITE(Convolutions, ElementTypes);
template <class E>
class ConvolutionsText : public EmittedText {};
TYPED_TEST_SUITE(ConvolutionsText, ElementTypes);

/// Without a bias.
template <class E>
Function<E> convolution(Extent stride, Extent padding, Extent dilation = 1) {
  return [=](const std::vector<Value<E>>& v) {
    return conv2d(v[0], v[1], v[0].constant(Shape({v[1].shape()[0]}), 0), stride, padding, dilation);
  };
}

/// A convolution along the last axis alone, of [batch, channels, 1, width].
template <class E>
Function<E> convolution_of_rows(Extent stride, Extent padding, Extent dilation) {
  return [=](const std::vector<Value<E>>& v) {
    const std::vector<Value<E>> padded{pad(v[0], 3, padding, v[0].shape()[3] + 2 * padding), v[1]};
    return convolution<E>(stride, 0, dilation)(padded);
  };
}

template <class E>
Tensor<E> ones(Extent height, Extent width) {
  return Tensor<E>::filled({1, 1, height, width}, E(1));
}

template <class E>
Tensor<E> counting_image() {
  std::vector<double> elements(25);
  std::iota(elements.begin(), elements.end(), 0.0);
  return tensor<E>({1, 1, 5, 5}, elements);
}

/// Two sequences of two elements and two kernels of two.
template <class E>
std::vector<Tensor<E>> sequences() {
  return {tensor<E>({2, 1, 1, 2}, {7, 3, 3, 2}), tensor<E>({2, 1, 1, 2}, {3, 6, 4, 2})};
}

TYPED_TEST(Convolutions, give_no_gradient_to_rows_that_no_window_covers) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(convolution<E>(2, 0), {ones<E>(6, 6), ones<E>(3, 3)});
  EXPECT_TRUE(same(reading.value, Tensor<E>::filled({1, 1, 2, 2}, E(9))));
  const std::vector<double> expected{1, 1, 2, 1, 1, 0, 1, 1, 2, 1, 1, 0, 2, 2, 4, 2, 2, 0,
                                     1, 1, 2, 1, 1, 0, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({1, 1, 6, 6}, expected)));
}

TYPED_TEST(Convolutions, keep_their_dilation_in_the_gradient) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(convolution<E>(1, 0, 2), {counting_image<E>(), ones<E>(3, 3)});
  EXPECT_TRUE(same(reading.value, tensor<E>({1, 1, 1, 1}, {108})));
  std::vector<double> expected(25, 0.0);
  for (std::size_t row = 0; row < 5; row += 2) {
    for (std::size_t column = 0; column < 5; column += 2) expected[row * 5 + column] = 1;
  }
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({1, 1, 5, 5}, expected)));
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>({1, 1, 3, 3}, {0, 2, 4, 10, 12, 14, 20, 22, 24})));
}

TYPED_TEST(Convolutions, of_rows_with_stride_padding_and_dilation_have_the_gradients_of_both_operands) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(convolution_of_rows<E>(2, 1, 2), sequences<E>());
  EXPECT_TRUE(same(reading.value, tensor<E>({2, 2, 1, 1}, {18, 6, 12, 4})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({2, 1, 1, 2}, {0, 8, 0, 8})));
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>({2, 1, 1, 2}, {0, 5, 0, 5})));
}

TYPED_TEST(Convolutions, with_padding_give_each_cell_the_number_of_its_windows) {
  using E = TypeParam;
  const Reading<E> reading = evaluate(convolution<E>(3, 2), {ones<E>(16, 16), ones<E>(7, 7)});
  EXPECT_EQ(reading.value.shape(), Shape({1, 1, 5, 5}));
  EXPECT_EQ(reading.gradients[0].shape(), Shape({1, 1, 16, 16}));
  EXPECT_EQ(sum(reading.gradients[0]).item(), E(1024));
}

TYPED_TEST(Convolutions, have_gradients_of_the_operands_shapes_for_every_small_geometry) {
  using E = TypeParam;
  for (const Extent size : {1, 2, 3}) {
    for (const Extent stride : {1, 2, 3}) {
      for (const Extent padding : {0, 1}) {
        for (const Extent dilation : {1, 2}) {
          const Extent span = dilation * (size - 1) + 1;
          const Extent extent = 5 + 2 * padding;
          if (span > extent) continue;
          const Reading<E> reading =
              evaluate(convolution<E>(stride, padding, dilation), {ones<E>(5, 5), ones<E>(size, size)});
          const Extent count = (extent - span) / stride + 1;
          EXPECT_EQ(reading.value.shape(), Shape({1, 1, count, count}));
          // sum over outputs of (window . kernel), so both gradients pair with their operand to the same
          // number
          const E total = sum(reading.value).item();
          EXPECT_EQ(sum(reading.gradients[0]).item(), total);
          EXPECT_EQ(sum(reading.gradients[1]).item(), total);
        }
      }
    }
  }
}

TYPED_TEST(Convolutions, with_a_kernel_larger_than_the_image_are_refused) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> image = tape.input(ones<E>(2, 2));
  const Value<E> bias = tape.input(tensor<E>({1}, {0}));
  EXPECT_THROW(conv2d(image, tape.input(ones<E>(3, 3)), bias, 1, 0), ShapeError);
  EXPECT_THROW(conv2d(image, tape.input(ones<E>(2, 2)), bias, 1, 0, 2), ShapeError);
  EXPECT_THROW(conv2d(image, tape.input(ones<E>(2, 2)), bias, 0, 0), ShapeError);
  EXPECT_THROW(conv2d(image, tape.input(ones<E>(2, 2)), bias, 1, -1), ShapeError);
  EXPECT_THROW(conv2d(image, tape.input(ones<E>(2, 2)), bias, 1, 0, Extent{1} << 62), ShapeError);
  EXPECT_NO_THROW(conv2d(image, tape.input(ones<E>(3, 3)), bias, 1, 1));
}

TYPED_TEST(ConvolutionsText, have_the_same_values_and_gradients_in_the_text) {
  using E = TypeParam;
  const std::vector<std::pair<Function<E>, std::vector<Tensor<E>>>> cases{
      {convolution<E>(2, 0), {ones<E>(6, 6), ones<E>(3, 3)}},
      {convolution<E>(1, 0, 2), {counting_image<E>(), ones<E>(3, 3)}},
      {convolution<E>(2, 1, 2), {counting_image<E>(), ones<E>(2, 2)}},
      {convolution_of_rows<E>(2, 1, 2), sequences<E>()},
      {convolution<E>(3, 2), {ones<E>(16, 16), ones<E>(7, 7)}},
      {convolution<E>(1, 0),
       {tensor<E>({2, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2}),
        tensor<E>({1, 2, 2, 2}, {1, -1, 2, -2, 3, -3, 4, -4})}},
  };
  for (const auto& [function, at] : cases) {
    // sums of small integers are exact in any order
    EXPECT_TRUE(same(evaluate_text(function, at), evaluate(function, at)));
  }
}

}  // namespace
}  // namespace topos::reports
