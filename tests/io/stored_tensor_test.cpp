// What files hold, as floats: exact where it widens, one rounding where that is asked for, refused elsewhere.
#include "topos/io/stored_tensor.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "io/support.hpp"

namespace topos::io_tests {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint16_t> every_half() {
  std::vector<std::uint16_t> halves(1 << 16);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  return halves;
}

/// sign, exponent and fraction of a 16-bit format by the definition of IEEE 754.
double by_definition(std::uint16_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7FFF) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits >> 15 != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

void expect_widened(std::string_view dtype, int fraction_bits) {
  const std::vector<std::uint16_t> halves = every_half();
  const StoredTensor stored(dtype, Shape({1 << 16}), std::as_bytes(std::span(halves)));
  const Elements<float> floats = stored.as<float>().elements();
  const Elements<double> doubles = stored.as<double>().elements();
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double expected = by_definition(halves[i], fraction_bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(floats[i]) && std::isnan(doubles[i])) << i;
      continue;
    }
    ASSERT_EQ(bits_of(doubles[i]), bits_of(expected)) << i;
    ASSERT_EQ(bits_of(floats[i]), bits_of(static_cast<float>(expected))) << i;
  }
}

TEST(StoredTensor, widens_each_f16_exactly) { expect_widened("F16", 10); }
TEST(StoredTensor, widens_each_bf16_exactly) { expect_widened("BF16", 7); }

TEST(StoredTensor, keeps_its_own_type_bit_by_bit) {
  const Tensor<float> floats({3}, {-0.0f, std::bit_cast<float>(1u), std::bit_cast<float>(0x7FC12345u)});
  EXPECT_EQ(std::memcmp(StoredTensor(floats).as<float>().elements().data(), floats.elements().data(), 12), 0);
  EXPECT_EQ(StoredTensor(floats).dtype(), "F32");
  EXPECT_EQ(StoredTensor(Tensor<double>(1.0)).dtype(), "F64");
}

TEST(StoredTensor, widens_f32_and_narrows_f64_with_one_rounding_when_asked) {
  const StoredTensor wide = Tensor<double>({3}, {0.1, 1e300, 0x1.0000010000001p0});
  const Elements<float> rounded = wide.as<float>(Narrowing::round).elements();
  EXPECT_EQ(rounded[0], 0.1f);
  EXPECT_EQ(rounded[1], INFINITY);
  EXPECT_EQ(rounded[2], 0x1.000002p0f);  // just above the middle of its neighbours
  EXPECT_EQ(StoredTensor(Tensor<float>(0.1f)).as<double>().item(), static_cast<double>(0.1f));
  EXPECT_EQ(misuse_of([&] { wide.as<float>(Narrowing::refuse, "tensor 'w'"); }),
            "tensor 'w' holds F64 elements of shape [3], which f32 would round: ask for f64, or pass "
            "Narrowing::round");
}

TEST(StoredTensor, gives_other_types_as_their_bytes_only) {
  const std::vector<std::int64_t> indices{1, -2};
  const StoredTensor stored("I64", Shape({2}), std::as_bytes(std::span(indices)));
  EXPECT_TRUE(std::ranges::equal(stored.bytes().span, std::as_bytes(std::span(indices))));
  EXPECT_EQ(misuse_of([&] { stored.as<double>(); }),
            "a stored tensor holds I64 elements of shape [2], which are not read as floats: use its bytes");
}

TEST(StoredTensor, hands_out_bytes_that_outlive_it) {
  StoredBytes bytes;
  {
    const std::vector<std::int64_t> indices{7};
    bytes = StoredTensor("I64", Shape({1}), std::as_bytes(std::span(indices))).bytes();
  }
  EXPECT_NE(bytes.owner, nullptr);
  EXPECT_EQ(bytes.span[0], std::byte{7});
}

TEST(StoredTensor, is_a_float_tensor_when_made_of_the_bytes_of_floats) {
  const std::vector<float> floats{1.5f, -2.0f};
  EXPECT_EQ(StoredTensor("F32", Shape({2}), std::as_bytes(std::span(floats))).as<float>().elements()[1],
            -2.0f);
}

TEST(StoredTensor, refuses_a_wrong_number_of_bytes_and_an_unknown_type) {
  const std::vector<std::byte> bytes(7);
  EXPECT_THAT(misuse_of([&] { StoredTensor("I64", Shape({1}), bytes); }), HasSubstr("cannot have 7 bytes"));
  EXPECT_THAT(misuse_of([&] { StoredTensor("F4", Shape({15}), bytes); }), HasSubstr("cannot have 7 bytes"));
  EXPECT_THAT(misuse_of([&] { StoredTensor("I64", Shape({Extent{1} << 62}), bytes); }),
              HasSubstr("cannot have"));
  EXPECT_THAT(misuse_of([&] { StoredTensor("float32", Shape({1}), bytes); }), HasSubstr("'float32'"));
}

TEST(StoredTensor, gives_the_bytes_of_a_view_in_row_major_order) {
  const Tensor<float> matrix({2, 2}, {1, 2, 3, 4});
  const std::vector<float> transposed{1, 3, 2, 4};
  const std::vector<Axis> order{1, 0};
  EXPECT_TRUE(std::ranges::equal(StoredTensor(matrix.permuted(order)).bytes().span,
                                 std::as_bytes(std::span(transposed))));
}

}  // namespace
}  // namespace topos::io_tests
