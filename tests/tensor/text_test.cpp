// Elements and nested lists as text.
#include "topos/tensor/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <limits>

#include "topos/tensor/tensor.hpp"

namespace topos {
namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(ElementText, IsTheShortestDecimalThatReadsBackWithoutAnExponent) {
  EXPECT_EQ(describe_element(float_of(0x3f800000)), "1");
  EXPECT_EQ(describe_element(float_of(0x3dcccccd)), "0.1");
  EXPECT_EQ(describe_element(float_of(0x3727c5ac)), "0.00001");
  EXPECT_EQ(describe_element(float_of(0x5a0e1bca)), "10000000000000000");
  EXPECT_EQ(describe_element(float_of(0x4b189680)), "10000000");
  EXPECT_EQ(describe_element(float_of(0x7f61b1e6)), "300000000000000000000000000000000000000");
  EXPECT_EQ(describe_element(float_of(0x34210fb0)), "0.00000015");
}

TEST(ElementText, NamesWhatIsNoNumberAndKeepsTheSignOfZero) {
  EXPECT_EQ(describe_element(float_of(0x7fc00000)), "NaN");
  EXPECT_EQ(describe_element(float_of(0xffc00000)), "NaN");
  EXPECT_EQ(describe_element(float_of(0x7f800000)), "inf");
  EXPECT_EQ(describe_element(float_of(0xff800000)), "-inf");
  EXPECT_EQ(describe_element(0.0f), "0");
  EXPECT_EQ(describe_element(-0.0f), "-0");
  EXPECT_EQ(describe_element(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(describe_element(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(ElementText, OfADoubleNeedsMoreDigits) {
  EXPECT_EQ(describe_element(0.1), "0.1");
  EXPECT_EQ(describe_element(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(describe_element(1.4721782245984396), "1.4721782245984396");
  EXPECT_EQ(describe_element(-2.5), "-2.5");
  EXPECT_EQ(describe_element(1e22), "10000000000000000000000");
}

TEST(ElementText, ReadsBackToTheSameBitsEverywhere) {
  for (std::uint32_t bits = 1; bits < 0x7f800000u - 70001u; bits += 70001u) {
    const float x = float_of(bits);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(std::strtof(describe_element(x).c_str(), nullptr)), bits);
    const double y = std::bit_cast<double>((std::uint64_t{bits} << 32) | (bits * 2654435761u));
    ASSERT_EQ(std::strtod(describe_element(y).c_str(), nullptr), y);
  }
  for (const double x : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(describe_element(x).c_str(), nullptr), x);
  }
}

TEST(TensorText, HasABracketForEachAxis) {
  EXPECT_EQ(describe(Tensor<float>(0.25f)), "0.25");
  EXPECT_EQ(describe(Tensor<float>({1}, {0.25f})), "[0.25]");
  EXPECT_EQ(describe(Tensor<float>({2, 2}, {1, 2, 3, 4})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(describe(Tensor<float>({2, 1, 2}, {1, 2, 3, 4})), "[[[1, 2]], [[3, 4]]]");
  EXPECT_EQ(describe(Tensor<float>({0}, {})), "[]");
}

}  // namespace
}  // namespace topos
