// Dense attributes: splats, nested lists, and the hexadecimal blobs that large constants are.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "support/golden.hpp"
#include "topos/emission/emit.hpp"
#include "topos/emission/literal.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::string dense(Shape shape, std::vector<float> elements) {
  return dense_attribute(Tensor<float>(std::move(shape), std::move(elements)));
}

/// The bytes of the blob `dense<"0x...">`, each from its two digits; nothing where there is no blob.
std::vector<unsigned char> bytes_of_blob(std::string_view text) {
  constexpr std::string_view start = "dense<\"0x";
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return {};
  text = text.substr(at + start.size(), text.find('"', at + start.size()) - at - start.size());
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return bytes;
}

/// Elements from little-endian bytes.
template <class T>
std::vector<T> elements_of_blob(std::string_view text) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const std::vector<unsigned char> bytes = bytes_of_blob(text);
  std::vector<T> elements;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    Bits bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits |= Bits{bytes[at + i]} << (8 * i);
    elements.push_back(std::bit_cast<T>(bits));
  }
  return elements;
}

std::string line_of(const std::string& text, std::string_view start) {
  const std::size_t at = text.find(start);
  return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
}

TEST(Constants, elements_that_equal_the_first_are_a_splat_of_it) {
  EXPECT_EQ(dense({2, 2}, {7.0f, 7.0f, 7.0f, 7.0f}), "dense<7.0>");
  EXPECT_EQ(dense({1}, {5.0f}), "dense<5.0>");
  EXPECT_EQ(dense({}, {5.0f}), "dense<5.0>");
  EXPECT_EQ(dense({2}, {-infinity, -infinity}), "dense<0xFF800000>");
  EXPECT_EQ(dense_attribute(Tensor<float>::filled({3, 4}, 0.1f)), "dense<0.1>");
}

TEST(Constants, zeros_of_both_signs_are_no_splat) {
  EXPECT_EQ(dense({2}, {0.0f, -0.0f}), "dense<[0.0, -0.0]>");
  EXPECT_EQ(dense({2}, {-0.0f, 0.0f}), "dense<[-0.0, 0.0]>");
}

TEST(Constants, a_nan_equals_nothing_and_is_never_a_splat_of_a_list) {
  EXPECT_EQ(dense({2}, {not_a_number, not_a_number}), "dense<[0x7FC00000, 0x7FC00000]>");
  EXPECT_EQ(dense({1}, {not_a_number}), "dense<[0x7FC00000]>");
  EXPECT_EQ(dense_attribute(Tensor<float>::filled({2}, not_a_number)), "dense<[0x7FC00000, 0x7FC00000]>");
  EXPECT_EQ(dense({}, {not_a_number}), "dense<0x7FC00000>") << "rank 0 has no list";
}

TEST(Constants, other_elements_are_one_bracket_an_axis) {
  EXPECT_EQ(dense({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}), "dense<[[1.0, 2.0], [3.0, 4.0]]>");
  EXPECT_EQ(dense({2, 1, 2}, {1.0f, 2.0f, 3.0f, 4.0f}), "dense<[[[1.0, 2.0]], [[3.0, 4.0]]]>");
  EXPECT_EQ(dense({2}, {infinity, -infinity}), "dense<[0x7F800000, 0xFF800000]>");
}

TEST(Constants, a_view_prints_in_its_own_order) {
  const Tensor<float> matrix({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  const std::vector<Axis> order{1, 0};
  EXPECT_EQ(dense_attribute(matrix.permuted(order)), "dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]>");
}

TEST(Constants, a_selection_prints_as_its_one_hot_matrix) {
  EXPECT_EQ(dense_attribute(Tensor<float>::selection({1, 0}, 3)),
            "dense<[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]>");
}

TEST(Constants, nothing_is_an_empty_attribute) {
  EXPECT_EQ(dense({0}, {}), "dense<>");
  EXPECT_EQ(dense({2, 0, 3}, {}), "dense<>");
  EXPECT_EQ(dense_attribute(Tensor<float>::filled({0, 2}, 1.0f)), "dense<>");
  EXPECT_EQ(dense_attribute(Tensor<float>::selection({}, 3)), "dense<>");
  EXPECT_EQ(dense_index_attribute({0, 2, 1}, {}), "dense<>");
}

TEST(Constants, a_module_over_empty_tensors_has_empty_constants) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>::filled({0, 3}, 0.0f));
  const auto floor = tape.leaf(Tensor<float>::filled({0, 3}, 1.0f));
  const Symbols roots{step(x, floor), sum_along(x, 0)};
  const std::string text = emit_stablehlo(std::move(tape).seal().entry(roots).lower());
  expect_own_golden("stablehlo/own/empty_tensors.mlir", text);
  EXPECT_NE(text.find("%v1 = stablehlo.constant dense<> : tensor<0x3xf32>"), std::string::npos);
  EXPECT_NE(text.find("%v2_ones = stablehlo.constant dense<> : tensor<0x3xf32>"), std::string::npos);
}

TEST(Constants, indices_are_a_list_even_where_they_are_equal) {
  const std::vector<std::int64_t> elements{4, 4};
  EXPECT_EQ(dense_index_attribute({2, 1, 1}, elements), "dense<[[[4]], [[4]]]>");
}

TEST(Constants, past_1024_elements_the_bytes_are_written_themselves) {
  ASSERT_EQ(largest_decimal_constant, 1024);
  Uniform draws(1, 1.0);
  const Tensor<float> listed = draws.tensor<float>({32, 32});
  EXPECT_EQ(dense_attribute(listed).substr(0, 8), "dense<[[");
  const Tensor<float> blob = draws.tensor<float>({25, 41});
  const std::string text = dense_attribute(blob);
  EXPECT_EQ(text.size(), std::string_view("dense<\"0x\">").size() + 8 * 1025);
  const std::vector<float> elements = elements_of_blob<float>(text);
  EXPECT_TRUE(same_bits(Tensor<float>({25, 41}, elements), blob));
}

TEST(Constants, a_blob_holds_special_values_and_nan_payloads_as_they_are) {
  std::vector<float> elements(1025, 0.0f);
  elements[1] = -0.0f;
  elements[2] = std::bit_cast<float>(0x7FC12345u);
  elements[3] = -infinity;
  elements[1024] = std::bit_cast<float>(0x00000001u);
  const std::vector<float> back = elements_of_blob<float>(dense({1025}, elements));
  ASSERT_EQ(back.size(), elements.size());
  EXPECT_EQ(std::memcmp(back.data(), elements.data(), elements.size() * sizeof(float)), 0);
}

TEST(Constants, a_blob_is_upper_case_and_little_endian) {
  std::vector<float> elements(1025, 1.0f);
  elements[1024] = std::bit_cast<float>(0xABCDEF01u);
  const std::string text = dense({1025}, elements);
  EXPECT_EQ(text.substr(0, 17), "dense<\"0x0000803F");
  EXPECT_EQ(text.substr(text.size() - 10), "01EFCDAB\">");
}

TEST(Constants, a_blob_of_f64_and_one_of_a_selection_read_back) {
  const Tensor<double> wide = Uniform(2, 1.0).tensor<double>({1030});
  EXPECT_TRUE(same_bits(Tensor<double>({1030}, elements_of_blob<double>(dense_attribute(wide))), wide));
  const Tensor<float> selection = Tensor<float>::selection(std::vector<std::int64_t>(40, 17), 27);
  const std::vector<float> back = elements_of_blob<float>(dense_attribute(selection));
  ASSERT_EQ(back.size(), 1080u);
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], i % 27 == 17 ? 1.0f : 0.0f) << i;
}

TEST(Constants, the_starts_of_many_windows_are_a_blob) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>::filled({1200}, 0.0f));
  const auto windows = unfold(x, 0, 3, 2, 5);  // 595 windows of 3
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({windows}).lower());
  const std::string line = line_of(text, "%v1_starts = ");
  EXPECT_TRUE(line.ends_with("> : tensor<595x3x1xi64>")) << line.substr(line.size() - 40);
  const std::vector<std::int64_t> starts = elements_of_blob<std::int64_t>(line);
  ASSERT_EQ(starts.size(), 595u * 3);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    ASSERT_EQ(starts[i], static_cast<std::int64_t>(i / 3 * 2 + i % 3 * 5)) << i;
  }
}

TEST(Constants, the_weights_of_many_windows_are_a_blob) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>::filled({30, 2}, 0.0f));
  const auto folded = fold(x, 0, 2, 1, 1, 31);
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({folded}).lower());
  const std::string line = line_of(text, "%v1_weights = ");
  EXPECT_TRUE(line.ends_with("> : tensor<30x2x31xf32>")) << line.substr(line.size() - 40);
  const std::vector<float> weights = elements_of_blob<float>(line);
  ASSERT_EQ(weights.size(), 30u * 2 * 31);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t window = i / 62, element = i / 31 % 2, position = i % 31;
    ASSERT_EQ(weights[i], position == window + element ? 1.0f : 0.0f) << i;
  }
}

TEST(Constants, a_million_numbers_are_eight_megabytes_and_a_million_equal_ones_are_a_line) {
  Tape<float> tape;
  const auto random = tape.leaf(Uniform(3, 1.0).tensor<float>({1024, 1024}));
  const auto uniform = tape.leaf(Tensor<float>::filled({1024, 1024}, 0.1f));
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({random, uniform}).lower());
  EXPECT_GT(text.size(), 8u << 20);
  EXPECT_LT(text.size(), (8u << 20) + 1000);
  EXPECT_EQ(elements_of_blob<float>(line_of(text, "%v0 = ")).size(), 1u << 20);
  EXPECT_EQ(line_of(text, "%v1 = "), "%v1 = stablehlo.constant dense<0.1> : tensor<1024x1024xf32>");
}

}  // namespace
}  // namespace topos::testing
