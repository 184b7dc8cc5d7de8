// The normalization of rows and of columns as one step: the interpreter's bits.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "plan/programs.hpp"
#include "topos/composites/normalization.hpp"

namespace topos {
namespace {

using testing::Setting;
using testing::spread_by;

/// The results' bits under many settings, and whether `step` is in the compiled plan.
template <class E>
void expect_the_interpreters_bits(const Network<E>& network, const Symbols& results, const char* step,
                                  bool is_taken) {
  testing::expect_the_interpreters_bits<E>(
      network, results, {}, 5, [&](const Plan<E>& plan, const Setting& setting) {
        EXPECT_EQ(plan.describe_engine().find(step) != std::string::npos, setting.options.fuse && is_taken);
      });
}

template <class E>
void expect_the_interpreters_bits(Extent rows, Extent features, const Tensor<E>& x, Centering centering) {
  SCOPED_TRACE(fmt::format("{} x {}", rows, features));
  Tape<E> tape;
  const Value<E> input = tape.input(x);
  const Value<E> scale = tape.parameter(spread_by<E>(2, Shape({features}), 2));
  const Value<E> shift = tape.parameter(spread_by<E>(2, Shape({features}), 3));
  const Value<E> epsilon = tape.leaf(Tensor<E>(E{1e-5f}));
  const Value<E> result = layer_norm(input, scale, shift, epsilon, centering);
  const Network<E> network = std::move(tape).seal();
  expect_the_interpreters_bits(network, {result}, "layer_norm [", true);
}

TEST(LayerNormSteps, GiveTheInterpretersBits) {
  for (const auto& [rows, features] : {std::pair<Extent, Extent>{1, 1},
                                       {3, 5},
                                       {70, 16},
                                       {200, 33},
                                       {7, 1000},
                                       {2, 4096},
                                       {5, 4097},
                                       {2, 20000}}) {
    const Tensor<float> floats = spread_by<float>(3, Shape({rows, features}), 1);
    expect_the_interpreters_bits(rows, features, floats, Centering::once);
    const Tensor<double> doubles = spread_by<double>(3, Shape({rows, features}), 1);
    expect_the_interpreters_bits(rows, features, doubles, Centering::twice);
  }
}

TEST(LayerNormSteps, GiveTheInterpretersBitsForRowsOfSpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Tensor<float> x({5, 3},
                        {0, -0.0f, 0, 1, 1, 1, infinity, 1, 2, std::nanf(""), 1, 2, 3e38f, -3e38f, 1e-45f});
  expect_the_interpreters_bits(5, 3, x, Centering::once);
}

TEST(LayerNormSteps, AreNotTakenWhereAGradientReadsInside) {
  Tape<float> tape;
  const auto x = tape.parameter(spread_by<float>(1, {4, 6}, 1));
  const auto scale = tape.parameter(spread_by<float>(1, Shape({6}), 2));
  const auto shift = tape.parameter(spread_by<float>(1, Shape({6}), 3));
  const auto y = layer_norm(x, scale, shift, tape.leaf(Tensor<float>(1e-5f)));
  const Adjoints adjoints = tape.differentiate(sum(y * y), {x, scale, shift});
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry(adjoints.roots()).lower();
  EXPECT_EQ(plan.describe_engine().find("layer_norm ["), std::string::npos);
  const auto names = [&] {
    std::vector<std::string_view> found;
    for (const Candidate& candidate : plan.candidates()) found.push_back(candidate.pattern);
    return found;
  }();
  EXPECT_EQ(names, std::vector<std::string_view>{"LayerNorm"}) << "a candidate, and not elected";
}

/// Batch norm of [rows, features]; the statistics are results, too, if `with_statistics`.
template <class E>
void expect_batch_norms_bits(const Tensor<E>& x, bool with_statistics) {
  SCOPED_TRACE(topos::describe(x.shape()));
  Tape<E> tape;
  const Extent features = x.shape()[1];
  const auto norm =
      batch_norm(tape.input(x), tape.parameter(spread_by<E>(2, Shape({features}), 2)),
                 tape.parameter(spread_by<E>(2, Shape({features}), 3)), tape.leaf(Tensor<E>(E{1e-5f})));
  const Network<E> network = std::move(tape).seal();
  Symbols results{norm.output};
  if (with_statistics) results.insert(results.end(), {norm.mean, norm.variance});
  expect_the_interpreters_bits(network, results, "batch_norm [", true);
}

TEST(BatchNormSteps, GiveTheInterpretersBitsForColumns) {
  for (const auto& [rows, features] : {std::pair<Extent, Extent>{1, 1},
                                       {5, 3},
                                       {16, 70},
                                       {33, 200},
                                       {1000, 7},
                                       {4096, 2},
                                       {4097, 2},
                                       {9000, 20},
                                       {70000, 2}}) {
    expect_batch_norms_bits(spread_by<float>(3, Shape({rows, features}), 1), rows % 2 == 0);
    expect_batch_norms_bits(spread_by<double>(3, Shape({rows, features}), 1), rows % 2 == 1);
  }
}

/// The columns are the channels of images: taken as they lie where an image has a multiple of 16 positions.
template <class E>
void expect_batch_norms_bits_for_images(Extent count, Extent channels, Extent height, Extent width) {
  Tape<E> tape;
  const Value<E> images = tape.input(spread_by<E>(3, Shape({count, channels, height, width}), 1));
  const Value<E> last = permute(images, {0, 2, 3, 1});
  const auto norm =
      batch_norm(reshape(last, Shape({count * height * width, channels})),
                 tape.parameter(spread_by<E>(2, Shape({channels}), 2)),
                 tape.parameter(spread_by<E>(2, Shape({channels}), 3)), tape.leaf(Tensor<E>(E{1e-5f})));
  const Value<E> result =
      permute(reshape(norm.output, Shape({count, height, width, channels})), {0, 3, 1, 2});
  const Network<E> network = std::move(tape).seal();
  const bool as_they_lie = height * width % 16 == 0;
  const std::string step = as_they_lie
                               ? fmt::format("batch_norm [{}, {}, {}]", count, channels, height * width)
                               : fmt::format("batch_norm [{}, {}, 1]", count * height * width, channels);
  expect_the_interpreters_bits(network, {result, norm.mean}, step.c_str(), true);
}

TEST(BatchNormSteps, GiveTheInterpretersBitsForImages) {
  for (const auto& [channels, height, width] :
       {std::array<Extent, 3>{2, 4, 4}, {6, 16, 16}, {5, 64, 66}, {3, 5, 7}, {9, 40, 40}}) {
    expect_batch_norms_bits_for_images<float>(3, channels, height, width);
    expect_batch_norms_bits_for_images<double>(3, channels, height, width);
  }
}

TEST(BatchNormSteps, GiveTheInterpretersBitsForColumnsOfSpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Tensor<float> x({3, 6}, {0, -0.0f, infinity, std::nanf(""), 3e38f, 1e-45f,  //
                                 0, 1, 1, 1, -3e38f, 1e-44f,                        //
                                 -0, 2, 2, 2, 3e38f, 0});
  expect_batch_norms_bits(x, true);
  expect_batch_norms_bits(spread_by<float>(1e-30, {64, 5}, 1), true);
  expect_batch_norms_bits(spread_by<float>(1e25, {64, 5}, 1), true);
}

TEST(BatchNormSteps, AreNotTakenWhereAnInteriorIsObserved) {
  Tape<float> tape;
  const auto x = tape.input(spread_by<float>(1, {4, 6}, 1));
  const auto row = tape.parameter(spread_by<float>(1, Shape({6}), 2));
  const auto norm = batch_norm(x, row, row, tape.leaf(Tensor<float>(1e-5f)));
  const auto square = norm.output * norm.output;
  const Adjoints adjoints = tape.differentiate(sum(square), {row});
  const Network<float> network = std::move(tape).seal();
  Symbols results = adjoints.roots();
  results.push_back(norm.output);
  expect_the_interpreters_bits(network, results, "batch_norm [", false);
}

}  // namespace
}  // namespace topos
