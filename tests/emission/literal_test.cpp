// A number's text and MLIR's reading of it are inverse to each other. The reading here is written anew:
// std::from_chars for decimals, digits for the bits in hexadecimal. As MLIR does, it reads an f32 as an f64
// and rounds that.
#include "topos/emission/literal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>

#include "emission/comma_locale.hpp"
#include "support/golden.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

template <class F>
using Bits = decltype(bits_of(F()));

/// MLIR's grammar of a float literal, [-] digits . digits [e [-] digits], of which the point and a digit on
/// either side are what other formatters leave out; or exactly as many hexadecimal digits as the type has.
bool is_literal(std::string_view text, std::size_t hexadecimal_digits) {
  const auto digits = [&](auto is_digit) {
    std::size_t count = 0;
    while (count < text.size() && is_digit(static_cast<unsigned char>(text[count]))) ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto skip = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  const auto decimal = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (skip("0x"))
    return digits([](unsigned char c) { return std::isxdigit(c) != 0; }) == hexadecimal_digits &&
           text.empty();
  skip("-");
  if (digits(decimal) == 0 || !skip(".") || digits(decimal) == 0) return false;
  if (skip("e")) {
    skip("-");
    if (digits(decimal) == 0) return false;
  }
  return text.empty();
}

template <class F>
std::optional<F> read_literal(std::string_view text) {
  const char* end = text.data() + text.size();
  if (text.starts_with("0x")) {
    Bits<F> bits = 0;
    const auto read = std::from_chars(text.data() + 2, end, bits, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return std::bit_cast<F>(bits);
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return static_cast<F>(value);
}

template <class F>
::testing::AssertionResult reads_back(F x) {
  const std::string text = stablehlo_literal(x);
  if (!is_literal(text, 2 * sizeof(F)))
    return ::testing::AssertionFailure() << '"' << text << "\" is no literal";
  const std::optional<F> back = read_literal<F>(text);
  if (!back || std::bit_cast<Bits<F>>(*back) != std::bit_cast<Bits<F>>(x)) {
    return ::testing::AssertionFailure()
           << '"' << text << "\" reads back as other bits than 0x" << std::hex << std::bit_cast<Bits<F>>(x);
  }
  return ::testing::AssertionSuccess();
}

TEST(Literal, each_captured_literal_is_ours) {
  std::istringstream rows(golden_text("stablehlo/captured/literals.txt"));
  std::string element, bits, wanted;
  std::size_t count = 0;
  for (; rows >> element >> bits >> wanted; ++count) {
    const std::uint64_t value = std::stoull(bits, nullptr, 16);
    const std::string text =
        element == "f32"   ? stablehlo_literal(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
        : element == "f64" ? stablehlo_literal(std::bit_cast<double>(value))
                           : stablehlo_literal(Bf16::from_bits(static_cast<std::uint16_t>(value)));
    EXPECT_EQ(text, wanted) << element << ' ' << bits;
  }
  EXPECT_EQ(count, 61u);
}

TEST(Literal, numbers_that_other_formatters_misspell_are_literals) {
  EXPECT_EQ(stablehlo_literal(1e-5f), "1.0e-5");
  EXPECT_EQ(stablehlo_literal(1.0f), "1.0");
  EXPECT_EQ(stablehlo_literal(0.5f), "0.5");
  EXPECT_EQ(stablehlo_literal(-0.0f), "-0.0");
  EXPECT_EQ(stablehlo_literal(std::numeric_limits<float>::max()), "3.4028235e38");
  EXPECT_EQ(stablehlo_literal(1.17549435e-38f), "1.1754944e-38");
  EXPECT_EQ(stablehlo_literal(1.4e-45f), "1.0e-45");
  EXPECT_EQ(stablehlo_literal(16777217.0), "16777217.0");
  EXPECT_EQ(stablehlo_literal(16777217.0f), "16777216.0");
  for (const float x : {1e-5f, 1.0f, 0.1f, -0.0f, std::numeric_limits<float>::max(), 1.17549435e-38f,
                        1.4e-45f, std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(reads_back(x));
    EXPECT_TRUE(reads_back(static_cast<double>(x)));
  }
  EXPECT_TRUE(reads_back(16777217.0));
}

// A shorter pattern in a wider type is read as that type's bits, silently: a small number instead of
// infinity.
TEST(Literal, what_has_no_decimal_prints_as_many_digits_as_its_type_holds) {
  EXPECT_EQ(stablehlo_literal(std::numeric_limits<float>::infinity()), "0x7F800000");
  EXPECT_EQ(stablehlo_literal(-std::numeric_limits<float>::infinity()), "0xFF800000");
  EXPECT_EQ(stablehlo_literal(std::numeric_limits<double>::infinity()), "0x7FF0000000000000");
  EXPECT_EQ(stablehlo_literal(-std::numeric_limits<double>::infinity()), "0xFFF0000000000000");
}

TEST(Literal, a_nan_keeps_its_bits) {
  EXPECT_EQ(stablehlo_literal(std::bit_cast<float>(0x7FC00000u)), "0x7FC00000");
  EXPECT_EQ(stablehlo_literal(std::bit_cast<float>(0xFFC12345u)), "0xFFC12345");
  EXPECT_EQ(stablehlo_literal(std::bit_cast<double>(std::uint64_t{0x7FF8000000000001})),
            "0x7FF8000000000001");
}

TEST(Literal, the_form_changes_at_ten_to_the_minus_4_and_ten_to_the_16) {
  EXPECT_EQ(stablehlo_literal(1e-4), "0.0001");
  EXPECT_EQ(stablehlo_literal(std::nextafter(1e-4, 0.0)), "9.999999999999999e-5");
  EXPECT_EQ(stablehlo_literal(1e-4f), "0.0001");
  EXPECT_EQ(stablehlo_literal(std::nextafter(1e-4f, 0.0f)), "9.999999e-5");
  EXPECT_EQ(stablehlo_literal(1e16), "1.0e16");
  EXPECT_EQ(stablehlo_literal(std::nextafter(1e16, 0.0)), "9999999999999998.0");
  EXPECT_EQ(stablehlo_literal(-1e16), "-1.0e16");
  EXPECT_EQ(stablehlo_literal(1e16f), "1.0e16");
  EXPECT_EQ(stablehlo_literal(std::nextafter(1e16f, 0.0f)), "9999999000000000.0");
}

TEST(Literal, a_hundred_thousand_random_patterns_of_f32_read_back) {
  SplitMix64 draws(36);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(reads_back(std::bit_cast<float>(static_cast<std::uint32_t>(draws.next()))));
  }
}

TEST(Literal, a_hundred_thousand_random_patterns_of_f64_read_back) {
  SplitMix64 draws(37);
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(reads_back(std::bit_cast<double>(draws.next())));
}

// 7.038531e-26 is the shortest decimal of this f32 and lies within its half unit, but the nearest f64 is the
// midpoint to the next f32, which has the even last digit: a reader that goes through f64 gets the neighbour.
TEST(Literal, the_one_f32_whose_shortest_decimal_is_misread_prints_more_digits) {
  const float x = std::bit_cast<float>(0x15AE43FDu);
  EXPECT_EQ(static_cast<float>(7.038531e-26), std::nextafter(x, 1.0f));
  EXPECT_EQ(stablehlo_literal(x), "7.038530691851209e-26");
  EXPECT_TRUE(reads_back(x));
  EXPECT_TRUE(reads_back(-x));
}

TEST(Literal, every_bf16_reads_back) {
  for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
    ASSERT_TRUE(reads_back(Bf16::from_bits(static_cast<std::uint16_t>(bits))));
  }
}

// Every 8,191st pattern; every one, which takes minutes, with TOPOS_EXHAUSTIVE in the environment.
TEST(Literal, every_f32_reads_back) {
  const std::uint64_t stride = std::getenv("TOPOS_EXHAUSTIVE") ? 1 : 8191;
  for (std::uint64_t bits = 0; bits <= 0x7FFFFFFF; bits += stride) {  // the sign only adds a "-"
    ASSERT_TRUE(reads_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
}

TEST(Literal, each_power_of_two_and_its_neighbours_read_back) {
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double x : {std::nextafter(power, 0.0), power, std::nextafter(power, 2 * power)}) {
      EXPECT_TRUE(reads_back(x));
    }
    if (exponent < -149 || exponent > 127) continue;
    const float narrow = std::ldexp(1.0f, exponent);
    for (const float x : {std::nextafter(narrow, 0.0f), narrow, std::nextafter(narrow, 2 * narrow)}) {
      EXPECT_TRUE(reads_back(x));
    }
  }
}

TEST(Literal, a_global_locale_with_a_decimal_comma_changes_nothing) {
  const CommaLocale german;
  std::ostringstream other;
  other << 0.5;
  ASSERT_NE(other.str().find(','), std::string::npos) << "the locale must be one that would show";
  EXPECT_EQ(stablehlo_literal(0.1f), "0.1");
  EXPECT_EQ(stablehlo_literal(1234567.5), "1234567.5");
  EXPECT_EQ(dense_attribute(Tensor<float>({2}, {1234567.5f, 0.5f})), "dense<[1234567.5, 0.5]>");
}

}  // namespace
}  // namespace topos::testing
