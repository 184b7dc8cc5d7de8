// A training graph's convolutions, pools and their gradients leave as named operations. That they compute the
// right thing is the conformance suite's to show; here is what they are.
#include "emission/convnets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/golden.hpp"
#include "topos/emission/emit.hpp"

namespace topos::testing {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

bool holds(const std::string& text, std::string_view part) { return count(text, part) > 0; }

/// Which patterns a plan's module raises, by name, sorted.
template <class E>
std::vector<std::string> patterns(const Plan<E>& plan) {
  std::vector<std::string> names;
  for (const Candidate& candidate : plan.candidates()) names.emplace_back(candidate.pattern);
  std::sort(names.begin(), names.end());
  return names;
}

Plan<float> captured_convnet(bool image_gradient) {
  Tape<float> tape;
  const auto image = tape.input(Tensor<float>::filled({1, 1, 4, 4}, 0.0f));
  const auto weights = tape.parameter(Tensor<float>::filled({2, 1, 2, 2}, 0.0f));
  const auto bias = tape.parameter(Tensor<float>::filled({2}, 0.0f));
  const auto loss = sum(max_pool(relu(conv2d(image, weights, bias, 1, 0)), 2, 1));
  const Adjoints adjoints = image_gradient ? tape.differentiate(loss, {weights, bias, image})
                                           : tape.differentiate(loss, {weights, bias});
  return std::move(tape).seal().entry(adjoints.roots()).lower();
}

// The capture spells every window as a gather and every gradient as a product with a 0/1 matrix, because its
// patterns end where a gradient reads into them. This is the one module that must not equal its capture.
TEST(Convnets, a_training_graph_is_made_of_named_operations_where_the_capture_gathers) {
  const std::string capture = golden_text("stablehlo/captured/gradient_convnet.mlir");
  EXPECT_EQ(count(capture, "stablehlo.convolution"), 0u);
  EXPECT_EQ(count(capture, "stablehlo.gather"), 8u);
  const std::string text = emit_stablehlo(captured_convnet(false));
  expect_own_golden("stablehlo/own/gradient_convnet.mlir", text);
  EXPECT_FALSE(same_text(capture, text));
  EXPECT_EQ(count(text, "stablehlo.convolution("), 2u) << "forward and the kernel's gradient";
  EXPECT_EQ(count(text, "\"stablehlo.reduce_window\""), 1u);
  EXPECT_EQ(count(text, "\"stablehlo.select_and_scatter\""), 1u);
  EXPECT_FALSE(holds(text, "stablehlo.gather"));
  EXPECT_FALSE(holds(text, "_weights"));
  EXPECT_FALSE(holds(text, "stablehlo.slice"));
  // The calling convention is the capture's.
  const auto signature = [](const std::string& module) { return module.substr(0, module.find('\n', 20)); };
  EXPECT_EQ(signature(capture), signature(text));
}

TEST(Convnets, the_images_gradient_is_a_convolution_of_the_dilated_cotangent_with_the_reversed_kernel) {
  const std::string text = emit_stablehlo(captured_convnet(true));
  expect_own_golden("stablehlo/own/gradient_convnet_image.mlir", text);
  EXPECT_EQ(count(text, "stablehlo.convolution("), 3u);
  EXPECT_EQ(count(text, "stablehlo.reverse "), 1u);
  EXPECT_EQ(count(text, "lhs_dilate = [1, 1]"), 1u);
  EXPECT_FALSE(holds(text, "stablehlo.gather"));
  EXPECT_FALSE(holds(text, "_weights"));
}

TEST(Convnets, every_geometry_raises_all_it_consists_of) {
  for (const ConvnetCase& geometry : convnet_cases()) {
    SCOPED_TRACE(geometry.name);
    const Plan<float> plan = Convnet<float>::record(geometry).lower();
    std::vector<std::string> wanted{"ReduceWindow", "WindowProduct", "WindowProductKernelGradient"};
    if (geometry.image_gradient) wanted.push_back("WindowProductInputGradient");
    // A pool of single elements selects nothing: its gradient is its windows' alone.
    if (geometry.pool_size > 1) wanted.push_back("ReduceWindowGradient");
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(patterns(plan), wanted);
    const std::string text = emit_stablehlo(plan);
    expect_own_golden("stablehlo/own/convnet_" + geometry.name + ".mlir", text);
    EXPECT_EQ(count(text, "stablehlo.convolution("), geometry.image_gradient ? 3u : 2u);
    EXPECT_EQ(count(text, "stablehlo.reverse "), geometry.image_gradient ? 1u : 0u);
    EXPECT_FALSE(holds(text, "stablehlo.gather"));
    EXPECT_EQ(holds(text, "_weights"), geometry.pool_size == 1);
  }
}

TEST(Convnets, an_observed_interior_bars_what_it_lies_in_and_no_more) {
  Convnet<float> net = Convnet<float>::record({.name = "observed"});
  const Symbols roots = net.adjoints.roots();
  const Symbol patches = net.tape.graph().symbol(6);
  const Plan<float> plan = std::move(net.tape).seal().entry(roots).observe({patches}).lower();
  EXPECT_EQ(patterns(plan),
            (std::vector<std::string>{"ReduceWindow", "ReduceWindowGradient", "WindowProductInputGradient"}));
}

TEST(Convnets, a_gradient_of_two_parts_is_not_taken_for_one) {
  const Plan<float> plan = shared_patches();
  EXPECT_EQ(patterns(plan),
            (std::vector<std::string>{"WindowProduct", "WindowProduct", "WindowProductKernelGradient",
                                      "WindowProductKernelGradient"}));
  expect_own_golden("stablehlo/own/convnet_shared_patches.mlir", emit_stablehlo(plan));
}

TEST(Convnets, windows_that_differ_along_the_axes_are_convolutions_too) {
  const Plan<float> plan = uneven_windows();
  EXPECT_EQ(patterns(plan), (std::vector<std::string>{"WindowProduct", "WindowProductInputGradient",
                                                      "WindowProductKernelGradient"}));
  const std::string text = emit_stablehlo(plan);
  expect_own_golden("stablehlo/own/convnet_uneven_windows.mlir", text);
  EXPECT_TRUE(holds(text, "window = {stride = [1, 3], pad = [[0, 1], [2, 1]], rhs_dilate = [2, 1]}"));
}

TEST(Convnets, a_deeper_layer_hands_its_gradient_on_as_a_convolution) {
  const Plan<float> plan = two_layers();
  const std::string text = emit_stablehlo(plan);
  expect_own_golden("stablehlo/own/convnet_two_layers.mlir", text);
  EXPECT_EQ(count(text, "stablehlo.convolution("), 6u);
  EXPECT_EQ(count(text, "\"stablehlo.select_and_scatter\""), 1u);
  EXPECT_FALSE(holds(text, "stablehlo.gather"));
}

}  // namespace
}  // namespace topos::testing
