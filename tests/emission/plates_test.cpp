// The five plates of the emission chapter.
#include <gtest/gtest.h>

#include "plates.hpp"
#include "support/golden.hpp"

namespace topos::testing {
namespace {

std::string plate(const std::string& name) { return golden_text("stablehlo/captured/" + name); }

TEST(Plates, a_chain_of_scalars_in_f64_emits_the_first_plate) {
  EXPECT_TRUE(same_text(plate("plate1_emit_chain.mlir"), emit_stablehlo(plates::chain())));
}

TEST(Plates, a_step_with_its_gradient_and_an_observed_value_emits_the_second) {
  EXPECT_TRUE(same_text(plate("plate2_walk_hlo.mlir"), emit_stablehlo(plates::walk())));
}

TEST(Plates, the_results_are_the_roots_and_then_what_is_observed_as_the_third_shows) {
  const Plan<float> plan = plates::walk();
  std::vector<std::int64_t> results;
  for (const Symbol& symbol : plan.results()) results.push_back(symbol.index());
  ASSERT_EQ(results.size(), 3u);
  std::string text =
      fmt::format("entry roots:    {} (the loss), {} (its gradient)\n", results[0], results[1]);
  text += fmt::format("entry observes: {} (hidden)\n", results[2]);
  text += "plan.results(): " + describe(results) + "\n\n";
  const std::string module = emit_stablehlo(plan);
  const auto line = [&](std::string_view start) {
    const std::size_t at = module.find(start);
    return at == std::string::npos ? std::string() : module.substr(at, module.find('\n', at) + 1 - at);
  };
  text += line("func.func @main");
  text += line("    return ");
  EXPECT_TRUE(same_text(plate("plate3_emit_results.txt"), text));
}

TEST(Plates, a_convolution_a_rectifier_and_a_pool_emit_the_fourth_as_named_operations) {
  EXPECT_TRUE(same_text(plate("plate4_emit_conv.mlir"), emit_stablehlo(plates::convolution())));
}

TEST(Plates, causal_attention_emits_the_fifth) {
  EXPECT_TRUE(same_text(plate("plate5_emit_attention.mlir"), emit_stablehlo(plates::attention())));
}

}  // namespace
}  // namespace topos::testing
