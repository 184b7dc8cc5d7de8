// Compositions that leave as one named operation, and what keeps them from it.
#include <gtest/gtest.h>

#include "emission/recording.hpp"
#include "emission/written_norm.hpp"
#include "support/golden.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/emission/emit.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

Tensor<float> zeros(Shape shape) { return Tensor<float>::filled(std::move(shape), 0.0f); }

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The patch matrix of 2 x 2 windows written out by hand, and its product with a kernel.
struct HandWritten {
  Tape<float> tape;
  Value<float> image = tape.input(zeros({1, 1, 3, 3}));
  Value<float> kernel = tape.parameter(zeros({4, 2}));
  Value<float> rows = unfold(image, 2, 2, 1);
  Value<float> windows = unfold(rows, 4, 2, 1);
  Value<float> gathered = permute(windows, {0, 2, 4, 1, 3, 5});
  Value<float> patches = reshape(gathered, {4, 4});
  Value<float> product = matmul(patches, kernel);
};

TEST(Raises, a_convolution_takes_its_recorded_padding_into_the_window) {
  Tape<float> tape;
  const auto image = tape.input(zeros({1, 2, 4, 4}));
  const auto weights = tape.input(zeros({2, 2, 2, 2}));
  const auto bias = tape.input(zeros({2}));
  const auto out = conv2d(image, weights, bias, 2, 1);
  expect_captured("convolution_stride_2_padding_1",
                  emit_stablehlo(std::move(tape).seal().entry({out}).lower()));
}

TEST(Raises, a_hand_written_patch_product_is_a_convolution_too) {
  HandWritten program;
  const Symbols roots{program.product};
  expect_captured("im2col", emit_stablehlo(std::move(program.tape).seal().entry(roots).lower()));
}

TEST(Raises, an_observed_patch_matrix_keeps_the_product_as_it_was_recorded) {
  HandWritten program;
  const Symbols roots{program.product};
  const Symbols observed{program.patches};
  expect_captured("im2col_observed",
                  emit_stablehlo(std::move(program.tape).seal().entry(roots).observe(observed).lower()));
}

TEST(Raises, another_reader_of_the_patch_matrix_does_not_bar_the_convolution) {
  HandWritten program;
  const Symbols roots{program.product, program.patches + program.patches};
  const std::string text = emit_stablehlo(std::move(program.tape).seal().entry(roots).lower());
  EXPECT_TRUE(holds(text, "%v6_windows = stablehlo.convolution(%arg1, %v6_kernel)")) << text;
  EXPECT_TRUE(holds(text, "%v7 = stablehlo.add %v5, %v5")) << text;
}

TEST(Raises, a_pool_is_a_reduce_window) {
  Tape<float> tape;
  const auto image = tape.input(zeros({1, 2, 4, 4}));
  const auto pooled = max_pool(image, 2, 2);
  expect_captured("max_pool_2_2", emit_stablehlo(std::move(tape).seal().entry({pooled}).lower()));
}

TEST(Raises, a_pool_of_one_element_windows_is_a_reduce_window_too) {
  Tape<float> tape;
  const auto image = tape.input(zeros({1, 1, 2, 2}));
  const auto pooled = max_pool(image, 1, 1);
  expect_captured("max_pool_1_1", emit_stablehlo(std::move(tape).seal().entry({pooled}).lower()));
}

TEST(Raises, an_observed_lane_keeps_the_pool_as_it_was_recorded) {
  Tape<float> tape;
  const auto image = tape.input(zeros({1, 2, 4, 4}));
  const auto pooled = max_pool(image, 2, 2);
  const Symbol lane = tape.graph().symbol(6);
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({pooled}).observe({lane}).lower());
  EXPECT_FALSE(holds(text, "reduce_window")) << text;
  EXPECT_TRUE(holds(text, "return %v12, %v6 :")) << text;
}

TEST(Raises, a_dilated_convolution_dilates_its_kernel) {
  Tape<float> tape;
  const auto image = tape.input(zeros({1, 1, 5, 5}));
  const auto weights = tape.input(zeros({1, 1, 2, 2}));
  const auto bias = tape.input(zeros({1}));
  const auto out = conv2d(image, weights, bias, 1, 0, 2);
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({out}).lower());
  EXPECT_TRUE(holds(text, "window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]}")) << text;
}

TEST(Raises, a_batch_norm_hands_its_statistics_out) {
  NormWritten<float> norm;
  norm.train();
  const Symbols roots{norm.result}, observed{norm.mean, norm.variance};
  const Network<float> network = std::move(norm.tape).seal();
  expect_captured("batch_norm_training", emit_stablehlo(network.entry(roots).lower()));
  expect_captured("batch_norm_training_observed",
                  emit_stablehlo(network.entry(roots).observe(observed).lower()));
}

TEST(Raises, a_batch_norm_with_given_statistics_is_an_inference) {
  NormWritten<float> norm;
  norm.infer();
  const Symbols roots{norm.result};
  expect_captured("batch_norm_inference", emit_stablehlo(std::move(norm.tape).seal().entry(roots).lower()));
}

TEST(Raises, a_statistic_may_be_read_after_the_batch_norm_and_not_before) {
  NormWritten<float> after;
  after.train();
  const Symbols late{after.result, after.mean * after.variance};
  const std::string text = emit_stablehlo(std::move(after.tape).seal().entry(late).lower());
  EXPECT_TRUE(holds(text, "%v22 = stablehlo.multiply %v21#1, %v21#2 : tensor<2xf32>")) << text;

  NormWritten<float> before;
  before.mean = before.average(before.input);
  const Value<float> early = before.mean + before.mean;
  before.centered = before.input - broadcast_along(before.mean, 0, 3);
  before.variance = before.average(before.centered * before.centered);
  before.finish();
  const Symbols roots{before.result, early};
  const std::string other = emit_stablehlo(std::move(before.tape).seal().entry(roots).lower());
  EXPECT_FALSE(holds(other, "batch_norm")) << other;
}

TEST(Raises, a_batch_norm_that_is_differentiated_or_observed_inside_stays_as_it_was_recorded) {
  NormWritten<float> trained;
  trained.train();
  const Value<float> loss = sum(trained.result * trained.result);
  const Adjoints adjoints = trained.tape.differentiate(loss, {trained.scale, trained.shift});
  EXPECT_FALSE(
      holds(emit_stablehlo(std::move(trained.tape).seal().entry(adjoints.roots()).lower()), "batch_norm"));

  NormWritten<float> observed;
  observed.train();
  const Symbols roots{observed.result}, inside{observed.centered};
  EXPECT_FALSE(holds(emit_stablehlo(std::move(observed.tape).seal().entry(roots).observe(inside).lower()),
                     "batch_norm"));
}

TEST(Raises, an_epsilon_that_the_attribute_would_round_bars_the_batch_norm) {
  NormWritten<double> fits(0x1p-17);
  fits.train();
  const Symbols exact{fits.result};
  EXPECT_TRUE(holds(emit_stablehlo(std::move(fits.tape).seal().entry(exact).lower()), "batch_norm_training"));
  NormWritten<double> rounds(1e-5);
  rounds.train();
  const Symbols rounded{rounds.result};
  EXPECT_FALSE(holds(emit_stablehlo(std::move(rounds.tape).seal().entry(rounded).lower()), "batch_norm"));
}

}  // namespace
}  // namespace topos::testing
