#include "topos/backends/array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

TEST(Array, element_names_and_sizes_are_those_of_stablehlo) {
  const std::vector<std::pair<std::string_view, std::size_t>> known{{"f32", 4}, {"f64", 8}, {"bf16", 2},
                                                                    {"i1", 1},  {"i32", 4}, {"i64", 8}};
  for (const auto& [text, bytes] : known) {
    EXPECT_EQ(name(array_element(text)), text);
    EXPECT_EQ(byte_size(array_element(text)), bytes);
  }
  EXPECT_EQ(message_of([] { array_element("f16"); }),
            "[array] 'f16' is no element; known are f32, f64, bf16, i1, i32, i64");
}

TEST(Array, values_come_back_with_their_bits) {
  const std::vector<float> floats{-0.0f, 1.5f, std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::denorm_min()};
  const Array array = Array::of({2, 2}, floats);
  const auto values = array.values<float>();
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), floats);
  EXPECT_EQ(array.bytes[4], std::byte{0x00});  // 1.5f is 3fc00000
  EXPECT_EQ(array.bytes[7], std::byte{0x3f});
  EXPECT_EQ(Array::of({}, std::vector<double>{2.5}).values<double>()[0], 2.5);
  EXPECT_EQ(Array::of({1}, std::vector<std::int64_t>{-3}).values<std::int64_t>()[0], -3);
  EXPECT_EQ(Array::of({1}, std::vector<std::int32_t>{-4}).values<std::int32_t>()[0], -4);
  EXPECT_EQ(Array::of({1}, std::vector<std::uint16_t>{0x3f80}).element, ArrayElement::bf16);
}

TEST(Array, f32_and_bf16_read_as_floats) {
  EXPECT_EQ(Array::of({2}, std::vector<float>{-0.5f, 3.0f}).floats(), (std::vector<float>{-0.5f, 3.0f}));
  EXPECT_EQ(Array::of({3}, std::vector<std::uint16_t>{0x3f80, 0xc049, 0x7f80}).floats(),
            (std::vector<float>{1.0f, -3.140625f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(message_of([] { Array::zeros({ArrayElement::f64, {2}}).floats(); }),
            "[array] tensor<2xf64> was read as f32");
}

TEST(Array, equality_is_of_bits) {
  const std::vector<float> plus{0.0f};
  const std::vector<float> minus{-0.0f};
  const std::vector<float> nan{std::numeric_limits<float>::quiet_NaN()};
  EXPECT_NE(Array::of({1}, plus), Array::of({1}, minus));
  EXPECT_EQ(Array::of({1}, nan), Array::of({1}, nan));
  EXPECT_NE(Array::of({1}, plus), Array::of({}, plus));
}

TEST(Array, rank_0_has_one_element_and_a_zero_extent_none) {
  EXPECT_EQ(Array::zeros({ArrayElement::f64, {}}).bytes.size(), 8u);
  EXPECT_EQ(Array::zeros({ArrayElement::f64, {3, 0}}).bytes.size(), 0u);
  EXPECT_EQ(describe(ArrayType{ArrayElement::bf16, {3, 0}}), "tensor<3x0xbf16>");
  EXPECT_EQ(describe(ArrayType{ArrayElement::i1, {}}), "tensor<i1>");
}

TEST(Array, a_type_of_impossible_size_is_refused) {
  EXPECT_EQ(message_of([] { ArrayType{ArrayElement::f32, {2, -1}}.byte_count(); }),
            "[array] extents are not negative; got -1");
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ(message_of([&] { ArrayType{ArrayElement::f32, {huge}}.byte_count(); }),
            "[array] tensor<4611686018427387904xf32> holds more bytes than can be addressed");
  EXPECT_EQ((ArrayType{ArrayElement::f32, {huge, huge, 0}}.byte_count()), 0u);
}

TEST(Array, a_wrong_number_of_values_is_refused) {
  EXPECT_EQ(message_of([] { Array::of({2, 3}, std::vector<float>(5)); }),
            "[array] tensor<2x3xf32> holds 6 elements; 5 values are given");
}

TEST(Array, reading_as_another_element_is_refused) {
  const Array array = Array::zeros({ArrayElement::f32, {2}});
  EXPECT_EQ(message_of([&] { array.values<double>(); }), "[array] tensor<2xf32> was read as f64");
}

TEST(Array, bytes_that_contradict_the_type_are_refused) {
  const Array array{ArrayElement::f32, {2}, std::vector<std::byte>(7)};
  EXPECT_EQ(message_of([&] { array.values<float>(); }),
            "[array] array: tensor<2xf32> takes 8 bytes; it has 7");
}

TEST(Array, a_predicate_is_0_or_1) {
  EXPECT_EQ(message_of([] { Array::of({3}, std::vector<std::uint8_t>{0, 1, 2}); }),
            "[array] array: an i1 is 0 or 1; element 2 is 2");
}

TEST(Array, another_type_than_wanted_is_refused) {
  const Array array = Array::zeros({ArrayElement::f32, {2, 3}});
  EXPECT_NO_THROW(check_type(array, {ArrayElement::f32, {2, 3}}, "argument 1"));
  EXPECT_EQ(message_of([&] { check_type(array, {ArrayElement::f32, {3, 2}}, "argument 1"); }),
            "[array] argument 1 is tensor<2x3xf32>; tensor<3x2xf32> is wanted");
  EXPECT_EQ(message_of([&] { check_type(array, {ArrayElement::i32, {2, 3}}, "argument 1"); }),
            "[array] argument 1 is tensor<2x3xf32>; tensor<2x3xi32> is wanted");
}

TEST(Array, counts_elements_and_bytes_by_its_type) {
  const ArrayType type{array_element_of<std::uint16_t>, {2, 3}};
  EXPECT_EQ(type.element, ArrayElement::bf16);
  EXPECT_EQ(type.element_count(), 6u);
  EXPECT_EQ(type.byte_count(), 12u);
  EXPECT_EQ(ArrayType{}.element_count(), 1u);
}

TEST(Array, a_view_has_the_type_and_the_bytes_of_its_array) {
  const Array array = Array::of({3}, std::vector<std::int32_t>{1, 2, 3});
  const ArrayView view = array;
  EXPECT_EQ(view.element, ArrayElement::i32);
  EXPECT_EQ(view.extents.size(), 1u);
  EXPECT_EQ(view.bytes.data(), array.bytes.data());
  EXPECT_EQ(view.type(), array.type());
}

TEST(Array, bytes_that_contradict_the_type_are_refused_by_name) {
  const std::vector<std::int64_t> extents{3};
  const std::vector<std::byte> flags{std::byte{0}, std::byte{1}, std::byte{2}};
  EXPECT_EQ(message_of([&] { check_bytes({ArrayElement::i1, extents, flags}, "the mask"); }),
            "[array] the mask: an i1 is 0 or 1; element 2 is 2");
  EXPECT_EQ(message_of([&] { check_bytes({ArrayElement::f32, extents, flags}, "x"); }),
            "[array] x: tensor<3xf32> takes 12 bytes; it has 3");
  EXPECT_EQ(message_of([&] { check_bytes(Array::zeros({ArrayElement::f32, {3}}), "x"); }), "no UsageError");
}

}  // namespace
}  // namespace topos::backends
