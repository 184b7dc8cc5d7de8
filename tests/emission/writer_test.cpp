// The words that operations and patterns spell their text with, each with the line it writes.
#include "topos/emission/writer.hpp"

#include <gtest/gtest.h>

#include "topos/base/error.hpp"
#include "topos/emission/literal.hpp"
#include "topos/graph/tape.hpp"

namespace topos {
namespace {

template <class E>
ElementText text_of() {
  return {.name = ElementTraits<E>::name,
          .accumulator = ElementTraits<Accumulator<E>>::name,
          .literal = [](double value) { return stablehlo_literal(ElementTraits<E>::from_double(value)); },
          .negative_infinity = stablehlo_literal(ElementTraits<E>::negative_infinity()),
          .dense =
              [](const Shape& shape, const std::vector<double>& elements) {
                std::vector<E> converted;
                for (const double value : elements) converted.push_back(ElementTraits<E>::from_double(value));
                return dense_attribute(Tensor<E>(shape, std::move(converted)));
              }};
}

/// The last node of %x [2, 3] times 0.5 in each place, while it is spelled.
template <class E>
class Spelling {
 public:
  StableHloWriter& out() { return out_; }
  /// The lines since the last call.
  std::string lines() {
    const std::string written = out_.body().substr(read_);
    read_ = out_.body().size();
    return written;
  }

 private:
  Tape<E> recorded() {
    Tape<E> tape;
    const Value<E> x = tape.input(Tensor<E>::filled({2, 3}, E{}));
    const Value<E> half = tape.leaf(Tensor<E>::filled({2, 3}, ElementTraits<E>::from_double(0.5)));
    multiply(x, half);
    return tape;
  }

  Tape<E> tape_ = recorded();
  ElementTexts elements_{text_of<E>(), text_of<Bf16>()};
  StableHloWriter out_ = [this] {
    StableHloWriter out(tape_.graph(), elements_, [this](NodeIndex leaf) {
      return dense_attribute(*tape_.payload(tape_.graph().symbol(leaf)));
    });
    out.set_name(0, "%x");
    out.begin(1);
    out.payload_constant();
    out.begin(2);
    return out;
  }();
  std::size_t read_ = 0;
};

TEST(Writer, KnowsTheNodeThatIsSpelledAndWhatItReads) {
  Spelling<float> spelling;
  StableHloWriter& out = spelling.out();
  EXPECT_EQ(spelling.lines(), "    %v1 = stablehlo.constant dense<0.5> : tensor<2x3xf32>\n");
  EXPECT_EQ(out.operand(0), "%x");
  EXPECT_EQ(out.operand(1), out.name_of(1));
  EXPECT_EQ(out.shape(1), Shape({2, 3}));
  EXPECT_EQ(out.shape_of(0), out.result_shape());
  EXPECT_EQ(out.leaf_literal(1), "0.5");
  EXPECT_TRUE(out.is_float_leaf(1));
  EXPECT_EQ(out.local("_part"), "%v2_part");
  EXPECT_THROW(out.source_is_an_argument(), InternalError);
}

TEST(Writer, HasTheElementsTypesAndLiterals) {
  Spelling<Bf16> spelling;
  StableHloWriter& out = spelling.out();
  EXPECT_EQ(out.type({2, 3}), "tensor<2x3xbf16>");
  EXPECT_EQ(out.accumulator_type({2}), "tensor<2xf32>");
  EXPECT_EQ(out.predicate_type({2}), "tensor<2xi1>");
  EXPECT_EQ(out.index_type(Shape()), "tensor<i64>");
  EXPECT_EQ(out.zero() + " " + out.one() + " " + out.negative_infinity(), "0.0 1.0 0xFF80");
  EXPECT_EQ(out.axes_without(Shape({4, 5, 6}), 1), (std::vector<Axis>{0, 2}));
}

TEST(Writer, DefinesTheNodeByItsLastLine) {
  Spelling<float> spelling;
  StableHloWriter& out = spelling.out();
  spelling.lines();
  const std::string twice = out.define("_twice", "stablehlo.add %x, %x : tensor<2x3xf32>");
  EXPECT_EQ(twice, "%v2_twice");
  EXPECT_EQ(out.name_of(2), "");
  out.elementwise("stablehlo.multiply");
  EXPECT_EQ(out.name_of(2), "%v2");
  EXPECT_EQ(spelling.lines(),
            "    %v2_twice = stablehlo.add %x, %x : tensor<2x3xf32>\n"
            "    %v2 = stablehlo.multiply %x, %v1 : tensor<2x3xf32>\n");
  out.alias(twice);
  EXPECT_EQ(out.name_of(2), twice);
  out.line("stablehlo.return %x : tensor<2x3xf32>", 2);
  EXPECT_EQ(spelling.lines(), "      stablehlo.return %x : tensor<2x3xf32>\n");
}

TEST(Writer, WritesConstantsAndShapes) {
  Spelling<float> spelling;
  StableHloWriter& out = spelling.out();
  spelling.lines();
  out.splat("_ones", {2}, out.one());
  out.index_constant("_at", {2}, {4, 5});
  out.dense_constant("_table", {2}, {0.5, 1});
  const std::string flat = out.reshape("_flat", "%x", {2, 3}, {6});
  out.transpose("_turned", "%x", {2, 3}, {1, 0});
  out.broadcast_in_dim("_rows", flat, {6}, {1}, {4, 6});
  EXPECT_EQ(spelling.lines(),
            "    %v2_ones = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
            "    %v2_at = stablehlo.constant dense<[4, 5]> : tensor<2xi64>\n"
            "    %v2_table = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>\n"
            "    %v2_flat = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>\n"
            "    %v2_turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
            "    %v2_rows = stablehlo.broadcast_in_dim %v2_flat, dims = [1] : (tensor<6xf32>) -> "
            "tensor<4x6xf32>\n");
}

TEST(Writer, ReducesAndMultipliesInTheAccumulator) {
  Spelling<Bf16> spelling;
  StableHloWriter& out = spelling.out();
  spelling.lines();
  const std::string low = out.splat("_low", Shape(), out.negative_infinity());
  out.reduce("_peak", "stablehlo.maximum", "%x", {2, 3}, low, {1});
  out.sum("_total", "%x", {2, 3}, {0});
  EXPECT_EQ(spelling.lines(),
            "    %v2_low = stablehlo.constant dense<0xFF80> : tensor<bf16>\n"
            "    %v2_peak = stablehlo.reduce(%x init: %v2_low) applies stablehlo.maximum across dimensions = "
            "[1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>\n"
            "    %v2_total_promoted = stablehlo.convert %x : (tensor<2x3xbf16>) -> tensor<2x3xf32>\n"
            "    %v2_total_seed = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "    %v2_total_accumulated = stablehlo.reduce(%v2_total_promoted init: %v2_total_seed) applies "
            "stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
            "    %v2_total = stablehlo.convert %v2_total_accumulated : (tensor<3xf32>) -> tensor<3xbf16>\n");

  out.product("_gram", "%x", {2, 3}, "%x", {2, 3}, {}, {1}, {1}, {2, 2});
  out.selected("_rows", "%one_hot", {5, 2}, "%x", {2, 3}, {5, 3});
  EXPECT_EQ(spelling.lines(),
            "    %v2_accumulated = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : "
            "(tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x2xf32>\n"
            "    %v2_gram = stablehlo.convert %v2_accumulated : (tensor<2x2xf32>) -> tensor<2x2xbf16>\n"
            "    %v2_rows = stablehlo.dot_general %one_hot, %x, contracting_dims = [1] x [0] : "
            "(tensor<5x2xbf16>, tensor<2x3xbf16>) -> tensor<5x3xbf16>\n");

  // By hand, as a pattern does it whose operation sums.
  const std::string wide = out.promoted("_x", "%x", {2, 3});
  const std::string zeros = out.accumulator_splat("_zeros", {2, 3}, out.zero());
  out.define_rounded("", "_sum", "stablehlo.add " + wide + ", " + zeros + " : tensor<2x3xf32>", {2, 3});
  EXPECT_EQ(spelling.lines(),
            "    %v2_x_promoted = stablehlo.convert %x : (tensor<2x3xbf16>) -> tensor<2x3xf32>\n"
            "    %v2_zeros = stablehlo.constant dense<0.0> : tensor<2x3xf32>\n"
            "    %v2_sum = stablehlo.add %v2_x_promoted, %v2_zeros : tensor<2x3xf32>\n"
            "    %v2 = stablehlo.convert %v2_sum : (tensor<2x3xf32>) -> tensor<2x3xbf16>\n");
}

TEST(Writing, ANodeHeldInBf16HasItsTypesOrIsSpelledInTheWorkingElement) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>::filled({2}, 0.0f));
  const auto half = convert<Bf16>(x);
  exp(half);
  const ElementTexts elements{text_of<float>(), text_of<Bf16>()};
  EXPECT_EQ(elements.of(Precision::bf16).name, "bf16");
  StableHloWriter out(tape.graph(), elements, {});
  out.set_name(0, "%x");
  out.begin(1);
  EXPECT_EQ(out.operand_type(0), "tensor<2xf32>");
  EXPECT_EQ(out.type_of(1), "tensor<2xbf16>");
  out.define("", "half");
  out.begin_widened(2);
  out.elementwise("wide");
  out.end_widened();
  EXPECT_EQ(out.body(),
            "    %v1 = half\n"
            "    %v2_promoted = stablehlo.convert %v1 : (tensor<2xbf16>) -> tensor<2xf32>\n"
            "    %v2_wide = wide %v2_promoted : tensor<2xf32>\n"
            "    %v2 = stablehlo.convert %v2_wide : (tensor<2xf32>) -> tensor<2xbf16>\n");
}

}  // namespace
}  // namespace topos
