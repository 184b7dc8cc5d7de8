// R29: conversions to and from bf16 and f16 round to nearest even and keep NaN, infinities and subnormals.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "topos/element/bf16.hpp"
#include "topos/io/stored_tensor.hpp"

namespace topos::reports {
namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
float through_bf16(float x) { return static_cast<float>(Bf16(x)); }

TEST(Conversions, of_f32_to_bf16_round_to_nearest_even) {
  EXPECT_EQ(through_bf16(0.26914088f), 0.26953125f);
  EXPECT_EQ(through_bf16(3.14f), 3.140625f);
  EXPECT_EQ(through_bf16(1e-8f), 1.00117177e-8f);
  EXPECT_EQ(through_bf16(1.00390625f), 1.0f);
  EXPECT_EQ(through_bf16(1.01171875f), 1.015625f);
  EXPECT_EQ(through_bf16(from_bits(0x7F7FFFFF)), INFINITY);
  EXPECT_TRUE(std::isnan(through_bf16(from_bits(0x7F800001))));
  EXPECT_TRUE(std::isnan(through_bf16(from_bits(0x7FFF8C22))));
}

TEST(Conversions, of_every_bf16_to_f32_and_back_change_nothing) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wide = static_cast<float>(Bf16::from_bits(static_cast<std::uint16_t>(bits)));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide) >> 16, bits);
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(through_bf16(wide)));
    } else {
      ASSERT_EQ(Bf16(wide).to_bits(), bits);
    }
  }
}

float from_f16(std::uint16_t bits) {
  const StoredTensor stored("F16", Shape({1}), std::as_bytes(std::span(&bits, 1)));
  return stored.as<float>().elements()[0];
}

TEST(Conversions, of_every_f16_to_f32_are_exact) {
  EXPECT_EQ(from_f16(0x0001), 5.9604645e-8f);
  EXPECT_EQ(from_f16(0x03FF), 6.0975552e-5f);
  EXPECT_EQ(from_f16(0x7BFF), 65504.0f);
  EXPECT_EQ(from_f16(0xFC00), -INFINITY);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float found = from_f16(static_cast<std::uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const int fraction = static_cast<int>(bits & 1023);
    float expected = exponent == 0    ? std::ldexp(static_cast<float>(fraction), -24)
                     : exponent == 31 ? (fraction ? NAN : INFINITY)
                                      : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    if (bits & 0x8000) expected = -expected;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected)) << bits;
    }
  }
}

}  // namespace
}  // namespace topos::reports
