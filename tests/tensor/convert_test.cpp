// Tensors in another element type.
#include "topos/tensor/convert.hpp"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include "support/op_cases.hpp"

namespace topos::testing {
namespace {

TEST(Convert, rounds_each_element_once) {
  const double above_a_tie = 1.00390625 + 1e-12;  // a tie of bf16, and to f32 no more than that
  const Tensor<double> x({2, 2}, {0.1, above_a_tie, -1e300, 3.0});
  EXPECT_TRUE(equal_bits(convert<float>(x), Tensor<float>({2, 2}, {0.1f, 1.00390625f, -INFINITY, 3.0f})));
  EXPECT_TRUE(equal_bits(
      convert<Bf16>(x),
      Tensor<Bf16>({2, 2}, {Bf16(0.1f), Bf16(1.0078125f), -std::numeric_limits<Bf16>::infinity(), Bf16(3)})));
  EXPECT_TRUE(equal_bits(
      convert<Bf16>(convert<float>(x)),
      Tensor<Bf16>({2, 2}, {Bf16(0.1f), Bf16(1.0f), -std::numeric_limits<Bf16>::infinity(), Bf16(3)})))
      << "two roundings are two";
  EXPECT_TRUE(equal_bits(convert<double>(x), x));
}

TEST(Convert, to_a_wider_element_and_back_changes_nothing) {
  std::vector<Bf16> all;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    all.push_back(Bf16::from_bits(static_cast<std::uint16_t>(bits)));
  const Tensor<Bf16> x({256, 256}, all);
  for (const Tensor<Bf16>& back : {convert<Bf16>(convert<float>(x)), convert<Bf16>(convert<double>(x)),
                                   convert<Bf16>(convert<float>(convert<double>(x)))}) {
    EXPECT_TRUE(equal_bits(back, x));
  }
  const Tensor<float> special({25}, special_elements<float>());
  EXPECT_TRUE(equal_bits(convert<float>(convert<double>(special)), special));
}

TEST(Convert, keeps_views_selections_and_what_repeats_one_element) {
  const Tensor<float> x = scattered<float>(Shape({3, 4}));
  const std::vector<Axis> order{1, 0};
  EXPECT_TRUE(equal_bits(convert<double>(x.permuted(order)), convert<double>(x).permuted(order)));
  const auto huge = convert<Bf16>(Tensor<float>::filled({Extent{1} << 40}, 1.5f));
  EXPECT_TRUE(huge.is_uniform());
  EXPECT_EQ(huge.narrowed_to_one().item(), Bf16(1.5f));
  const auto selection = convert<Bf16>(Tensor<double>::selection({2, 0}, 3));
  ASSERT_NE(selection.as_selection(), nullptr);
  EXPECT_EQ(selection.as_selection()->indices, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(convert<Bf16>(Tensor<float>({0, 2}, {})).shape(), Shape({0, 2}));
}

TEST(Convert, keeps_subnormals_whatever_the_thread_has_set) {
  const unsigned modes = _mm_getcsr();
  _mm_setcsr(modes | 0x8040);  // flush to zero, denormals are zero
  const Tensor<float> narrow = convert<float>(Tensor<double>({1}, {1e-40}));
  _mm_setcsr(modes);
  EXPECT_EQ(bits_of(narrow.item()), 71362u);
}

}  // namespace
}  // namespace topos::testing
