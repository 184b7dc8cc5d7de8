// What a tape of bf16 emits: bf16 types, and f32 where terms add up, converted to and fro. Each module
// against the captured one of its name.
#include <gtest/gtest.h>

#include <limits>

#include "emission/module_text.hpp"
#include "emission/recording.hpp"
#include "emission/written_norm.hpp"
#include "support/golden.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/emission/emit.hpp"
#include "topos/emission/literal.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

using Recording = testing::Recording<Bf16>;

TEST(Bf16, products_have_f32_results_that_are_converted_back) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({5, 2, 3});
  const auto c = r.input({3, 4});
  const auto d = r.input({5, 3, 4});
  const Symbols roots{matmul(a, c), matmul(b, d)};
  expect_captured("bf16_matmul", std::move(r).emit(roots));
}

TEST(Bf16, sums_are_f32_sums_of_converted_operands) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({});
  const auto total = sum(a);
  const auto rows = sum_along(a, 1);
  const Symbols roots{total, rows, sum(b)};
  expect_captured("bf16_sum", std::move(r).emit(roots));
}

TEST(Bf16, a_gather_adds_nothing_and_a_scatter_adds_in_f32) {
  Recording r;
  const auto table = r.input({3, 2});
  const auto selection = r.input({2, 3});
  const auto rows = gather(table, selection);
  const Symbols roots{rows, scatter(rows, selection)};
  expect_captured("bf16_gather_scatter", std::move(r).emit(roots));
}

TEST(Bf16, a_fold_adds_in_f32) {
  Recording r;
  const auto a = r.input({3, 3});
  const auto b = r.input({3, 2, 4});
  const auto trailing = fold(a, 0, 3, 2, 1, 8);
  const Symbols roots{trailing, fold(b, 0, 2, 1, 1, 4)};
  expect_captured("bf16_fold", std::move(r).emit(roots));
}

TEST(Bf16, the_softmax_family_sums_in_f32_and_differs_from_the_capture_in_the_guard_alone) {
  Recording r;
  const auto x = r.input({2, 3});
  const auto probabilities = log_softmax(x, 1);
  const Symbols roots{probabilities, logsumexp(x, 1)};
  EditedText edited(std::move(r).emit(roots));
  expect_captured("bf16_softmax", without_logsumexp_guard(edited, 2).text());
}

TEST(Bf16, elementwise_operations_and_constants_have_bf16_types_and_literals) {
  using Limits = std::numeric_limits<Bf16>;
  Recording r;
  const auto a = r.input({3});
  const auto b = r.input({3});
  const auto padded = pad(a, 0, 1, 5);
  const auto selected = step(a, b);
  const auto error = erf(a);
  const auto slope = erf_derivative(a);
  const auto tenth = r.tape.leaf(Tensor<Bf16>(Bf16(0.1)));
  const auto special = r.tape.leaf(Tensor<Bf16>({3}, {Limits::infinity(), Limits::quiet_NaN(), Bf16(1e30)}));
  const Symbols roots{padded, selected, error, slope, tenth, special};
  expect_captured("bf16_step_erf_constants", std::move(r).emit(roots));
}

TEST(Bf16, a_convolution_adds_in_f32_and_a_pool_compares_in_bf16) {
  Recording r;
  const auto image = r.input({1, 2, 4, 4});
  const auto weights = r.parameter({2, 2, 2, 2});
  const auto bias = r.parameter({2});
  const Symbols roots{max_pool(conv2d(image, weights, bias, 1, 1), 2, 1)};
  expect_captured("bf16_convolution_and_pool", std::move(r).emit(roots));
}

// The captured system raises none of these: the text is ours.
TEST(Bf16, raised_gradients_add_in_f32) {
  Recording r;
  const auto image = r.input({1, 2, 5, 5});
  const auto weights = r.parameter({2, 2, 2, 2});
  const auto bias = r.parameter({2});
  const auto loss = sum(max_pool(relu(conv2d(image, weights, bias, 1, 0)), 2, 2));
  const Adjoints adjoints = r.tape.differentiate(loss, {image, weights});
  expect_own_golden("stablehlo/own/bf16_gradient_convnet.mlir", std::move(r).emit(adjoints.roots()));
}

TEST(Bf16, a_fold_too_large_for_a_matrix_adds_in_f32_too) {
  Recording r;
  const auto x = r.input({300, 2, 2});
  const auto one = r.input({70000, 1});
  const auto overlapping = fold(x, 0, 2, 1, 1, 301);
  const Symbols roots{overlapping, fold(one, 0, 1, 1, 1, 70000)};
  expect_own_golden("stablehlo/own/bf16_fold_as_pads.mlir", std::move(r).emit(roots));
}

TEST(Bf16, a_batch_norm_hands_its_statistics_out) {
  NormWritten<Bf16> norm;
  norm.train();
  const Symbols roots{norm.result}, observed{norm.mean, norm.variance};
  const Network<Bf16> network = std::move(norm.tape).seal();
  expect_captured("bf16_batch_norm_training", emit_stablehlo(network.entry(roots).observe(observed).lower()));
}

TEST(Bf16, a_large_constant_is_a_blob_of_its_bytes) {
  std::vector<Bf16> elements(1025, Bf16(1.0f));
  elements[0] = Bf16(-2.0f);
  const std::string text = dense_attribute(Tensor<Bf16>({1025}, std::move(elements)));
  EXPECT_EQ(text.substr(0, 24), "dense<\"0x00C0803F803F803");
  EXPECT_EQ(text.size(), 2 * 2 * 1025 + std::string("dense<\"0x\">").size());
}

}  // namespace
}  // namespace topos::testing
