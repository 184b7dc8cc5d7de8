// What each operation emits, against the captured module of the same name.
#include <gtest/gtest.h>

#include <limits>

#include "emission/module_text.hpp"
#include "emission/recording.hpp"
#include "support/golden.hpp"
#include "topos/composites/axes.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

using Recording = testing::Recording<float>;

TEST(Operations, elementwise_arithmetic_emits_one_line_each) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({2, 3});
  const Symbols roots{a + b, a - b, a * b, a / b, maximum(a, b), pow(a, b), -a};
  expect_captured("f32_elementwise", std::move(r).emit(roots));
}

TEST(Operations, functions_emit_one_line_each_but_the_derivative_of_erf) {
  Recording r;
  const auto x = r.input({3});
  const Symbols roots{exp(x), log(x),   sqrt(x),  tanh(x), sin(x),
                      cos(x), log1p(x), expm1(x), erf(x),  erf_derivative(x)};
  expect_captured("f32_maps", std::move(r).emit(roots));
}

TEST(Operations, a_step_selects_between_ones_and_zeros) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({2, 3});
  const Symbols roots{step(a, b)};
  expect_captured("f32_step", std::move(r).emit(roots));
}

TEST(Operations, a_step_of_rank_0_has_a_predicate_of_rank_0) {
  Recording r;
  const auto a = r.input({});
  const auto b = r.input({});
  const Symbols roots{step(a, b)};
  expect_captured("f32_step_rank_0", std::move(r).emit(roots));
}

TEST(Operations, a_matrix_product_contracts_the_inner_axes) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({3, 4});
  const Symbols roots{matmul(a, b)};
  expect_captured("f32_matmul_rank_2", std::move(r).emit(roots));
}

TEST(Operations, a_product_of_higher_rank_batches_over_the_leading_axes) {
  Recording r;
  const auto a = r.input({5, 2, 3});
  const auto b = r.input({2, 3, 2, 2});
  const auto c = r.input({2, 3, 2, 5});
  const auto d = r.input({5, 3, 4});
  const Symbols roots{matmul(a, d), matmul(b, c)};
  expect_captured("f32_matmul_rank_3_and_4", std::move(r).emit(roots));
}

TEST(Operations, a_sum_of_rank_0_is_another_name_for_its_operand) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({3});
  const auto c = r.input({});
  const auto total_a = sum(a);
  const auto total_b = sum(b);
  const auto total_c = sum(c);
  const auto again = sum(total_c);
  const Symbols roots{total_a, total_b, total_c, total_c * again};
  expect_captured("f32_sum", std::move(r).emit(roots));
}

TEST(Operations, a_sum_along_an_axis_reduces_that_axis) {
  Recording r;
  const auto x = r.input({2, 3});
  const Symbols roots{sum_along(x, 0), sum_along(x, 1)};
  expect_captured("f32_sum_along", std::move(r).emit(roots));
}

TEST(Operations, a_broadcast_flattens_its_operand_first_unless_it_has_rank_0) {
  Recording r;
  const auto a = r.input({});
  const auto b = r.input({1});
  const auto c = r.input({1, 1});
  const Symbols roots{broadcast(a, {2, 3}), broadcast(b, {2, 3}), broadcast(c, {4}), broadcast(b, {}),
                      broadcast(a, {})};
  expect_captured("f32_broadcast", std::move(r).emit(roots));
}

TEST(Operations, a_broadcast_along_a_new_axis_maps_the_others) {
  Recording r;
  const auto x = r.input({2, 3});
  const Symbols roots{broadcast_along(x, 0, 4), broadcast_along(x, 1, 4), broadcast_along(x, 2, 4)};
  expect_captured("f32_broadcast_along", std::move(r).emit(roots));
}

TEST(Operations, a_broadcast_along_from_rank_0_maps_nothing) {
  Recording r;
  const auto x = r.input({});
  const Symbols roots{broadcast_along(x, 0, 4)};
  expect_captured("f32_broadcast_along_rank_0", std::move(r).emit(roots));
}

TEST(Operations, a_reshape_prints_even_where_it_changes_nothing) {
  Recording r;
  const auto x = r.input({2, 3});
  const auto flat = reshape(x, {6});
  const auto same = reshape(x, {2, 3});
  const auto total = sum(x);
  const Symbols roots{flat, same, reshape(total, {1})};
  expect_captured("f32_reshape", std::move(r).emit(roots));
}

TEST(Operations, a_permutation_is_a_transpose) {
  Recording r;
  const auto x = r.input({2, 3, 4});
  const Symbols roots{permute(x, {2, 0, 1})};
  expect_captured("f32_permute", std::move(r).emit(roots));
}

TEST(Operations, a_transpose_of_rank_1_or_0_prints_too) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({3});
  const auto c = r.input({});
  const Symbols roots{transpose(a), transpose(b), transpose(c)};
  expect_captured("f32_transpose", std::move(r).emit(roots));
}

TEST(Operations, a_narrow_is_a_slice_that_names_every_axis) {
  Recording r;
  const auto x = r.input({2, 5});
  const Symbols roots{narrow(x, 1, 1, 3), narrow(x, 0, 1, 1)};
  expect_captured("f32_narrow", std::move(r).emit(roots));
}

TEST(Operations, a_pad_is_a_pad_even_of_nothing) {
  Recording r;
  const auto x = r.input({2, 3});
  const Symbols roots{pad(x, 1, 2, 6), pad(x, 0, 0, 2)};
  expect_captured("f32_pad", std::move(r).emit(roots));
}

TEST(Operations, an_unfold_gathers_at_constant_starts) {
  Recording r;
  const auto a = r.input({8});
  const auto b = r.input({2, 5, 3});
  const Symbols roots{unfold(a, 0, 3, 2, 1), unfold(b, 1, 2, 1, 2)};
  expect_captured("f32_unfold", std::move(r).emit(roots));
}

TEST(Operations, a_fold_of_the_last_axis_is_one_product) {
  Recording r;
  const auto x = r.input({3, 3});
  const Symbols roots{fold(x, 0, 3, 2, 1, 8)};
  expect_captured("f32_fold_trailing", std::move(r).emit(roots));
}

TEST(Operations, a_fold_of_the_first_axis_is_transposed_home) {
  Recording r;
  const auto x = r.input({3, 2, 4});
  const Symbols roots{fold(x, 0, 2, 1, 1, 4)};
  expect_captured("f32_fold_leading", std::move(r).emit(roots));
}

TEST(Operations, a_fold_of_a_middle_axis_is_transposed_home) {
  Recording r;
  const auto x = r.input({2, 3, 2, 4});
  const Symbols roots{fold(x, 1, 2, 1, 1, 4)};
  expect_captured("f32_fold_middle", std::move(r).emit(roots));
}

TEST(Operations, gather_and_scatter_are_products_with_the_selection) {
  Recording r;
  const auto table = r.input({3, 2});
  const auto selection = r.input({4, 3});
  const auto rows = gather(table, selection);
  const Symbols roots{rows, scatter(rows, selection)};
  expect_captured("f32_gather_scatter", std::move(r).emit(roots));
}

TEST(Operations, a_constant_selection_prints_as_its_one_hot_matrix) {
  Recording r;
  const auto table = r.input({3, 2, 2});
  const auto vector = r.input({3});
  const auto selection = r.tape.leaf(Tensor<float>::selection({0, 2}, 3));
  const auto rows = gather(table, selection);
  const auto elements = gather(vector, selection);
  const Symbols roots{rows, elements, scatter(rows, selection)};
  expect_captured("f32_gather_leaf_selection", std::move(r).emit(roots));
}

TEST(Operations, log_softmax_subtracts_the_peak_and_then_the_normalizer) {
  Recording r;
  const auto x = r.input({2, 3});
  const Symbols roots{log_softmax(x, 1), log_softmax(x, 0)};
  expect_captured("f32_log_softmax", std::move(r).emit(roots));
}

TEST(Operations, logsumexp_differs_from_the_capture_in_its_guard_and_in_nothing_else) {
  Recording r;
  const auto a = r.input({2, 3});
  const auto b = r.input({3});
  const Symbols roots{logsumexp(a, 1), logsumexp(b, 0)};
  const std::string text = std::move(r).emit(roots);
  expect_own_golden("stablehlo/own/f32_logsumexp.mlir", text);
  EditedText edited(text);
  without_logsumexp_guard(edited, 2);
  without_logsumexp_guard(edited, 3);
  expect_captured("f32_logsumexp", edited.text());
}

TEST(Operations, constants_print_as_a_splat_or_nested) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  Recording r;
  const Symbols roots{
      r.tape.leaf(Tensor<float>(3.0f)),
      r.tape.leaf(Tensor<float>({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f})),
      r.tape.leaf(Tensor<float>::filled({2, 2}, 7.0f)),
      r.tape.leaf(Tensor<float>({3}, {0.1f, 0.1f, 0.1f})),
      r.tape.leaf(Tensor<float>({1}, {5.0f})),
      r.tape.leaf(Tensor<float>({2}, {0.0f, -0.0f})),
      r.tape.leaf(Tensor<float>({2}, {-0.0f, 0.0f})),
      r.tape.leaf(Tensor<float>({2}, {not_a_number, not_a_number})),
      r.tape.leaf(Tensor<float>(not_a_number)),
      r.tape.leaf(Tensor<float>({2}, {infinity, -infinity})),
      r.tape.leaf(Tensor<float>({2}, {-infinity, -infinity})),
      r.tape.leaf(Tensor<float>({2, 1, 2}, {1.0f, 2.0f, 3.0f, 4.0f})),
      r.tape.leaf(Tensor<float>::selection({1, 1}, 3)),
      r.tape.leaf(Tensor<float>::selection({0}, 1)),
  };
  // The capture writes zeros of both signs as a splat of the first, which changes the second: ours is the
  // list.
  EditedText edited(std::move(r).emit(roots));
  edited.replace("dense<[0.0, -0.0]>", "dense<0.0>").replace("dense<[-0.0, 0.0]>", "dense<-0.0>");
  expect_captured("f32_leaves", edited.text());
}

TEST(Operations, a_tape_of_f64_prints_f64_types_and_literals) {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>::filled({2}, 0.0));
  const auto constant =
      tape.leaf(Tensor<double>({4}, {0.1, 1.0e300, -std::numeric_limits<double>::infinity(), 1.0e-7}));
  const auto probabilities = log_softmax(x, 0);
  const auto slope = erf_derivative(x);
  const Symbols roots{slope, constant, probabilities, sum(x)};
  expect_captured("ops_f64", emit_stablehlo(std::move(tape).seal().entry(roots).lower()));
}

TEST(Operations, results_may_be_arguments_and_repeated_ones_are_dropped) {
  Recording r;
  const auto a = r.input({2});
  const auto b = r.input({2});
  const auto total = a + b;
  const Symbols roots{b, a, total, b};
  expect_captured("f32_results_are_arguments", std::move(r).emit(roots));
}

TEST(Operations, parameters_come_before_inputs_and_unreached_sources_are_no_arguments) {
  Recording r;
  const auto first_input = r.input({2});
  const auto first_parameter = r.parameter({2});
  r.input({3});
  const auto second_input = r.input({2});
  r.parameter({4});
  const auto second_parameter = r.parameter({2});
  r.tape.leaf(Tensor<float>(1.0f));
  const auto left = first_input * first_parameter;
  const auto right = second_input * second_parameter;
  const Symbols roots{left + right};
  expect_captured("f32_argument_order", std::move(r).emit(roots));
}

}  // namespace
}  // namespace topos::testing
