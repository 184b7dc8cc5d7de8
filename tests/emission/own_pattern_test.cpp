// A pattern that a program defines: found by its plan and written by emission, by public headers alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "topos/emission/writer.hpp"
#include "topos/topos.hpp"

namespace {

using namespace topos;
using T = Tensor<float>;

/// 1 / (1 + exp(-x)), which StableHLO has a name for.
struct Logistic {
  static constexpr std::string_view name = "Logistic";
  NodeIndex x;

  static std::optional<Logistic> match(const MatchContext& context, NodeIndex root, PatternMatch& match) {
    if (!context.is<Divide>(root)) return std::nullopt;
    const auto is_one = [&](NodeIndex node) {
      return context.is<Leaf>(node) && context.leaf_is_filled_with(node, 1.0);
    };
    const NodeIndex one = context.operand(root, 0);
    const NodeIndex total = context.operand(root, 1);
    if (!is_one(one) || !context.is<Add>(total) || !is_one(context.operand(total, 0))) return std::nullopt;
    const NodeIndex decay = context.operand(total, 1);
    if (!context.is<Exp>(decay) || !context.is<Negate>(context.operand(decay))) return std::nullopt;
    const NodeIndex negated = context.operand(decay);
    match.interiors = {one, context.operand(total, 0), negated, decay, total};
    return Logistic{context.operand(negated)};
  }
  std::vector<NodeIndex> reads() const { return {x}; }
  void spell(StableHloWriter& out) const {
    out.define("", fmt::format("stablehlo.logistic {} : {}", out.name_of(x), out.type(out.shape_of(x))));
  }
};

Value<float> logistic(const Value<float>& x) {
  const auto ones = x.constant(x.shape(), 1.0);
  const auto decay = exp(-x);
  return ones / (ones + decay);
}

/// sum of the logistic of an input.
struct Program {
  Symbol decay;
  Symbol root;
  Symbol loss;
  Network<float> network;
};

Program program() {
  Tape<float> tape;
  const auto x = tape.input(T({3}, {-1, 0, 2}));
  const auto y = logistic(x);
  const auto loss = sum(y);
  const Symbol decay(y.symbol().origin(), tape.graph()[tape.graph()[y.index()].operands[1]].operands[1]);
  return {decay, y, loss, std::move(tape).seal()};
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(OwnPatterns, AreFoundByThePlanAndWrittenByTheirOwnText) {
  const Program recorded = program();
  const Plan<float> plan = recorded.network.entry({recorded.loss}).pattern<Logistic>().lower();
  ASSERT_EQ(plan.candidates().size(), 1u);
  EXPECT_EQ(plan.candidates()[0].pattern, "Logistic");
  EXPECT_EQ(plan.candidates()[0].root, recorded.root.index());
  const std::string text = emit_stablehlo(plan);
  EXPECT_TRUE(contains(text, "%v5 = stablehlo.logistic %arg0 : tensor<3xf32>")) << text;
  EXPECT_FALSE(contains(text, "divide")) << text;
  // tests/conformance runs the file on other engines.
  topos::testing::expect_own_golden("stablehlo/own/own_pattern.mlir", text);
}

TEST(OwnPatterns, ChangeNothingOfThePlansThatDoNotNameThem) {
  const Program recorded = program();
  const Plan<float> plan = recorded.network.entry({recorded.loss}).lower();
  EXPECT_TRUE(plan.candidates().empty());
  EXPECT_FALSE(contains(emit_stablehlo(plan), "logistic"));
}

TEST(OwnPatterns, ChangeNoBitAtHome) {
  const Program recorded = program();
  const Entry<float> entry = recorded.network.entry({recorded.loss}).pattern<Logistic>();
  const auto parameters = recorded.network.parameters();
  EXPECT_TRUE(same_bits(entry.lower().forward(parameters).of(recorded.loss),
                        entry.interpret(parameters).of(recorded.loss)));
}

TEST(OwnPatterns, AreBarredByAnObservedInterior) {
  const Program recorded = program();
  const Plan<float> plan =
      recorded.network.entry({recorded.loss}).observe({recorded.decay}).pattern<Logistic>().lower();
  EXPECT_TRUE(plan.candidates().empty());
}

/// The same match without text, under a name that the library has taken.
struct Nameless {
  static constexpr std::string_view name = "SoftmaxAttention";
  Logistic found;

  static std::optional<Nameless> match(const MatchContext& context, NodeIndex root, PatternMatch& match) {
    const auto found = Logistic::match(context, root, match);
    return found ? std::optional(Nameless{*found}) : std::nullopt;
  }
  std::vector<NodeIndex> reads() const { return found.reads(); }
};

TEST(OwnPatterns, WithoutTextAreCandidatesOnly) {
  const Program recorded = program();
  const Plan<float> plan = recorded.network.entry({recorded.loss}).pattern<Nameless>().lower();
  ASSERT_EQ(plan.candidates().size(), 1u);
  EXPECT_NE(std::any_cast<Nameless>(&plan.candidates()[0].attributes), nullptr);
  EXPECT_EQ(emit_stablehlo(plan), emit_stablehlo(recorded.network.entry({recorded.loss}).lower()));
  // Its name is not what the engine knows a pattern by.
  EXPECT_NO_THROW(plan.forward(recorded.network.parameters()));
}

/// The same as a call, where the element is an f32.
struct CalledLogistic {
  static constexpr std::string_view name = "CalledLogistic";
  Logistic found;

  static std::optional<CalledLogistic> match(const MatchContext& context, NodeIndex root,
                                             PatternMatch& match) {
    const auto found = Logistic::match(context, root, match);
    return found ? std::optional(CalledLogistic{*found}) : std::nullopt;
  }
  std::vector<NodeIndex> reads() const { return found.reads(); }
  bool fits(const StableHloWriter& out) const { return out.type(Shape()) == "tensor<f32>"; }
  template <class Writer>
  void spell(Writer& out) const {
    const std::string type = out.type(out.shape_of(found.x));
    out.define("", fmt::format("stablehlo.custom_call @logistic({}) : ({}) -> {}", out.name_of(found.x), type,
                               out.type(out.result_shape())));
  }
};

static_assert(SpelledPattern<Logistic> && SpelledPattern<CalledLogistic> && !SpelledPattern<Nameless>);

TEST(OwnPatterns, BringTheirTextAsData) {
  const Program recorded = program();
  const Plan<float> plan = recorded.network.entry({recorded.loss}).pattern<CalledLogistic>().lower();
  const Candidate& candidate = plan.candidates()[0];
  ASSERT_NE(candidate.spelling, nullptr);
  const ElementText f32{
      .name = "f32", .accumulator = "f32", .literal = {}, .negative_infinity = {}, .dense = {}};
  const ElementTexts elements{f32, f32};
  StableHloWriter out(plan.graph(), elements, {});
  out.set_name(0, "%x");
  out.begin(candidate.root);
  const PatternSpelling& spelling = *candidate.spelling;
  ASSERT_TRUE(spelling.fits(candidate.attributes, out));
  spelling.spell(candidate.attributes, out);
  EXPECT_EQ(out.body(), "    %v5 = stablehlo.custom_call @logistic(%x) : (tensor<3xf32>) -> tensor<3xf32>\n");
}

TEST(OwnPatterns, OfOneRootTheFirstThatHasTextIsWritten) {
  const Program recorded = program();
  const Entry<float> entry = recorded.network.entry({recorded.loss});
  const auto text = [](Entry<float> of) { return emit_stablehlo(of.lower()); };
  EXPECT_TRUE(contains(text(Entry<float>(entry).pattern<Logistic>().pattern<CalledLogistic>()),
                       "%v5 = stablehlo.logistic %arg0"));
  EXPECT_TRUE(
      contains(text(Entry<float>(entry).pattern<Nameless>().pattern<CalledLogistic>().pattern<Logistic>()),
               "%v5 = stablehlo.custom_call @logistic(%arg0) : (tensor<3xf32>) -> tensor<3xf32>"));
}

TEST(OwnPatterns, MayFitSomeElementsOnly) {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({2}, {1, 2}));
  const auto ones = x.constant(x.shape(), 1.0);
  const auto decay = exp(-x);
  const auto y = ones / (ones + decay);
  const Network<double> network = std::move(tape).seal();
  const Plan<double> plan = network.entry({y}).pattern<CalledLogistic>().lower();
  EXPECT_EQ(plan.candidates().size(), 1u);
  EXPECT_FALSE(contains(emit_stablehlo(plan), "custom_call"));
}

/// Any product of matrices; a convolution's has a pattern of the library, too.
struct Claimed {
  static constexpr std::string_view name = "Claimed";
  NodeIndex left;
  NodeIndex right;

  static std::optional<Claimed> match(const MatchContext& context, NodeIndex root, PatternMatch&) {
    if (!context.node(root).operation.is<MatMul>()) return std::nullopt;
    return Claimed{context.operand(root, 0), context.operand(root, 1)};
  }
  std::vector<NodeIndex> reads() const { return {left, right}; }
  void spell(StableHloWriter& out) const {
    out.define("", fmt::format("stablehlo.custom_call @claimed({}, {}) : ({}, {}) -> {}", out.name_of(left),
                               out.name_of(right), out.type(out.shape_of(left)),
                               out.type(out.shape_of(right)), out.type(out.result_shape())));
  }
};

TEST(OwnPatterns, ComeBeforeTheLibrarys) {
  Tape<float> tape;
  const auto image = tape.input(T::filled({1, 1, 3, 3}, 1.0f));
  const auto kernel = tape.input(T::filled({2, 1, 2, 2}, 1.0f));
  const auto bias = tape.input(T::filled({2}, 0.0f));
  const auto result = conv2d(image, kernel, bias, 1, 0);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> listed = network.entry({result}).lower();
  ASSERT_FALSE(listed.candidates().empty());
  EXPECT_TRUE(contains(emit_stablehlo(listed), "stablehlo.convolution"));
  const Plan<float> own = network.entry({result}).pattern<Claimed>().lower();
  EXPECT_EQ(own.candidates().front().pattern, "Claimed");
  EXPECT_TRUE(contains(emit_stablehlo(own), "@claimed")) << emit_stablehlo(own);
  EXPECT_FALSE(contains(emit_stablehlo(own), "stablehlo.convolution")) << emit_stablehlo(own);
}

/// Claims a node that comes after its root.
struct Unsound {
  static constexpr std::string_view name = "Unsound";

  static std::optional<Unsound> match(const MatchContext& context, NodeIndex root, PatternMatch& match) {
    if (!context.is<Divide>(root)) return std::nullopt;
    match.interiors = {root + 1};
    return Unsound{};
  }
  std::vector<NodeIndex> reads() const { return {}; }
};

TEST(OwnPatterns, ThatNameNodesOutsideThePlanAreRefused) {
  const Program recorded = program();
  try {
    recorded.network.entry({recorded.loss}).pattern<Unsound>().lower();
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_TRUE(contains(error.what(), "pattern Unsound stands for node 6 at its root, node 5"))
        << error.what();
  }
}

}  // namespace
