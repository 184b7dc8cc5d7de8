// The module around the lines: what it takes, what it returns, and what it does not depend on.
#include <gtest/gtest.h>

#include "emission/comma_locale.hpp"
#include "emission/convnets.hpp"
#include "support/golden.hpp"
#include "topos/base/error.hpp"
#include "topos/composites/attention.hpp"
#include "topos/emission/emit.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

Tensor<float> pair(float a, float b) { return Tensor<float>({2}, {a, b}); }

std::vector<NodeIndex> indices_of(const Symbols& symbols) {
  std::vector<NodeIndex> indices;
  for (const Symbol& symbol : symbols) indices.push_back(symbol.index());
  return indices;
}

TEST(Module, without_results_is_refused_and_says_what_to_do) {
  Tape<float> tape;
  tape.input(pair(1, 2));
  const Plan<float> plan = std::move(tape).seal().entry({}).lower();
  try {
    emit_stablehlo(plan);
    FAIL() << "a module without results was emitted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "a module must have a result: name at least one root or observed node in the entry");
  }
}

TEST(Module, an_observed_node_alone_is_result_enough) {
  Tape<float> tape;
  const auto a = tape.input(pair(1, 2));
  const auto b = -a;
  EXPECT_EQ(emit_stablehlo(std::move(tape).seal().entry({}).observe({b}).lower()),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {\n"
            "    %v1 = stablehlo.negate %arg0 : tensor<2xf32>\n"
            "    return %v1 : tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Module, takes_the_arguments_that_the_plan_says_and_no_others) {
  Tape<float> tape;
  const auto a = tape.input(pair(1, 2));
  tape.input(Tensor<float>::filled({3}, 0.0f));
  const auto b = tape.input(pair(100, 200));
  const auto total = a + b;
  const auto again = a + b;
  const Plan<float> plan = std::move(tape).seal().entry({total, b, b, again, total}).lower();
  EXPECT_EQ(indices_of(plan.arguments()), (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(indices_of(plan.results()), (std::vector<NodeIndex>{3, 2, 4}))
      << "a repeated result is one result";
  EXPECT_EQ(emit_stablehlo(plan),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, "
            "tensor<2xf32>) {\n"
            "    %v3 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n"
            "    %v4 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n"
            "    return %v3, %arg1, %v4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Module, may_return_its_argument) {
  Tape<float> tape;
  const auto a = tape.parameter(pair(1, 2));
  EXPECT_EQ(emit_stablehlo(std::move(tape).seal().entry({a}).lower()),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {\n"
            "    return %arg0 : tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Module, may_return_a_constant_and_take_nothing) {
  Tape<float> tape;
  tape.input(pair(0, 0));
  const auto constant = tape.leaf(pair(1, 2));
  const Plan<float> plan = std::move(tape).seal().entry({constant}).lower();
  EXPECT_TRUE(plan.arguments().empty());
  EXPECT_EQ(emit_stablehlo(plan),
            "module @topos {\n"
            "  func.func @main() -> (tensor<2xf32>) {\n"
            "    %v1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
            "    return %v1 : tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Module, returns_zeros_for_the_gradient_of_an_input_that_does_not_matter) {
  Tape<float> tape;
  const auto a = tape.input(pair(1, 2));
  const auto unused = tape.input(Tensor<float>::filled({3, 1}, 5.0f));
  const auto loss = sum(a);
  const Adjoints adjoints = tape.differentiate(loss, {unused});
  const Symbol gradient = adjoints.of(unused);
  const Plan<float> plan = std::move(tape).seal().entry({gradient}).lower();
  EXPECT_TRUE(plan.arguments().empty());
  EXPECT_EQ(emit_stablehlo(plan),
            "module @topos {\n"
            "  func.func @main() -> (tensor<3x1xf32>) {\n"
            "    %v7 = stablehlo.constant dense<0.0> : tensor<3x1xf32>\n"
            "    return %v7 : tensor<3x1xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Module, takes_an_input_that_only_a_result_names) {
  Tape<float> tape;
  const auto a = tape.input(pair(1, 2));
  const auto b = tape.input(pair(3, 4));
  const auto negated = -b;
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({negated}).observe({a}).lower());
  EXPECT_NE(text.find("return %v2, %arg0 :"), std::string::npos) << text;
}

TEST(Module, says_the_same_whatever_the_plan_keeps_in_memory) {
  for (const ConvnetCase& geometry : convnet_cases()) {
    SCOPED_TRACE(geometry.name);
    Convnet<float> net = Convnet<float>::record(geometry);
    const Symbols roots = net.adjoints.roots();
    const Network<float> network = std::move(net.tape).seal();
    EXPECT_TRUE(same_text(emit_stablehlo(network.entry(roots).lower()),
                          emit_stablehlo(network.entry(roots).retain().lower())));
  }
}

TEST(Module, says_the_same_each_time_and_after_its_network_went_on_recording) {
  Convnet<float> net = Convnet<float>::record({.name = "any"});
  const Symbols roots = net.adjoints.roots();
  Network<float> network = std::move(net.tape).seal();
  const Plan<float> plan = network.entry(roots).lower();
  const std::string first = emit_stablehlo(plan);
  Tape<float> reopened = std::move(network).reopen();
  const auto doubled = reopened.resolve(roots[0]) + reopened.resolve(roots[0]);
  const Network<float> longer = std::move(reopened).seal();
  EXPECT_TRUE(same_text(first, emit_stablehlo(plan)));
  EXPECT_TRUE(same_text(first, emit_stablehlo(longer.entry(roots).lower())));
  EXPECT_NE(first, emit_stablehlo(longer.entry({doubled}).lower()));
}

std::string attention_module() {
  Tape<float> tape;
  const auto q = tape.input(Tensor<float>::filled({1100, 2}, 0.1f));
  const auto mask = tape.leaf(causal_mask<float>(1100, -12345.5f));
  const auto scale = tape.leaf(Tensor<float>(0.25f));
  const auto attended = scaled_dot_product(q, q, q, mask, scale);
  return emit_stablehlo(std::move(tape).seal().entry({attended}).lower());
}

TEST(Module, groups_no_digits_and_has_no_comma_in_its_numbers_under_another_global_locale) {
  const std::string before = attention_module();
  const CommaLocale german;
  EXPECT_TRUE(before == attention_module());
  EXPECT_NE(before.find("tensor<1100x1100xf32>"), std::string::npos);
}

}  // namespace
}  // namespace topos::testing
