// Initializers: every captured draw, in bits.
#include "topos/nn/initialize.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "support/golden.hpp"
#include "topos/base/error.hpp"

namespace topos {
namespace {

using testing::golden_text;

/// "3f8e38e4 00000000 ...": the bits of each element.
template <class E>
std::string bits(const Tensor<E>& tensor) {
  std::string text;
  for (const E element : tensor.elements()) {
    text += fmt::format("{}{:0{}x}", text.empty() ? "" : " ", bits_of(element), 2 * sizeof(E));
  }
  return text;
}

/// The captured draws by title, "normal f64 seed=7 dev=1.0 [8]".
std::map<std::string, std::string> captured() {
  std::map<std::string, std::string> draws;
  std::istringstream lines(golden_text("nn/captured/initializers.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find(": ")));
    std::string title;
    for (std::string word; words >> word;) title += (title.empty() ? "" : " ") + word;
    draws[title] = line.substr(line.find(": ") + 2);
  }
  return draws;
}

TEST(Initializers, DrawTheCapturedBits) {
  const std::map<std::string, std::string> draws = captured();
  const Shape row{8}, weights{2, 4};
  std::size_t compared = 0;
  const auto expect = [&](const std::string& title, const std::string& drawn) {
    ASSERT_TRUE(draws.contains(title)) << title;
    EXPECT_EQ(drawn, draws.at(title)) << title;
    ++compared;
  };
  for (const std::uint64_t seed : {0, 1, 5, 7, 8, 9, 13}) {
    expect(fmt::format("uniform f64 seed={} scale=1.0 [8]", seed),
           bits(Uniform(seed, 1.0).tensor<double>(row)));
    expect(fmt::format("normal f64 seed={} dev=1.0 [8]", seed), bits(Normal(seed, 1.0).tensor<double>(row)));
    expect(fmt::format("normal f32 seed={} dev=0.3 [8]", seed), bits(Normal(seed, 0.3).tensor<float>(row)));
    expect(fmt::format("xavier f32 seed={} [2,4]", seed), bits(Xavier(seed).tensor<float>(weights)));
    expect(fmt::format("kaiming f32 seed={} [2,4]", seed), bits(Kaiming(seed).tensor<float>(weights)));
    expect(fmt::format("scaled f64 seed={} gain=5/3 [2,4]", seed),
           bits(Scaled(seed, 5.0 / 3.0).tensor<double>(weights)));
    expect(fmt::format("dropout f32 seed={} keep=0.9 [8]", seed),
           bits(DropoutMask(seed, 0.9).tensor<float>(row)));
  }
  Normal normal(7, 1.0);
  const std::string first = bits(normal.tensor<double>({3}));
  const std::string second = bits(normal.tensor<double>({3}));
  std::string twice = draws.at("normal f64 seed=7 called twice [3],[3]");
  std::erase_if(twice, [](char c) { return c == '"' || c == ','; });
  EXPECT_EQ(fmt::format("[{}] [{}]", first, second), twice);
  EXPECT_EQ(compared + 1, draws.size()) << "a captured line has no test";
}

/// The draws that follow a tensor of this shape.
template <class Initializer>
std::string after(Initializer initializer, const Shape& shape) {
  initializer.template tensor<double>(shape);
  return bits(initializer.template tensor<double>({2, 3}));
}

template <class Initializer>
void expect_weights_and_biases_only(const Initializer& initializer) {
  Initializer fresh = initializer;
  EXPECT_TRUE(same_bits(fresh.template tensor<float>({5}), Tensor<float>::filled({5}, 0.0f)));
  Initializer other = initializer;
  EXPECT_EQ(after(initializer, {7}), bits(other.template tensor<double>({2, 3})));
  EXPECT_NE(after(initializer, {1, 1}), after(initializer, {7}));
  for (const Shape& shape : {Shape{}, Shape{2, 3, 4}, Shape{4, 3, 2, 2}}) {
    EXPECT_THROW(fresh.template tensor<float>(shape), UsageError) << describe(shape);
  }
}

TEST(Initializers, OfWeightsGiveZeroBiasesWithoutADrawAndRefuseOtherRanks) {
  expect_weights_and_biases_only(Xavier(3));
  expect_weights_and_biases_only(Kaiming(3));
  expect_weights_and_biases_only(Scaled(3, 1.0));
}

TEST(Initializers, OfAnyShapeFillRowMajorAndGoOnWithTheirStream) {
  const auto expect_one_stream = [](auto whole) {
    auto parts = whole;
    const std::string scalar = bits(parts.template tensor<float>({}));
    const std::string rest = bits(parts.template tensor<float>({11}));
    EXPECT_EQ(bits(whole.template tensor<float>({2, 3, 2})), scalar + " " + rest);
  };
  expect_one_stream(Uniform(4, 0.5));
  expect_one_stream(Normal(4, 0.5));
  expect_one_stream(DropoutMask(4, 0.5));
}

TEST(Initializers, RoundOnceToTheElement) {
  const Tensor<double> exact = Normal(11, 0.7).tensor<double>({1000});
  const Tensor<float> rounded = Normal(11, 0.7).tensor<float>({1000});
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(bits_of(rounded.elements()[i]), bits_of(static_cast<float>(exact.elements()[i])));
  }
}

TEST(DropoutMasks, KeepTheirShareAndTheExpectedSum) {
  const Tensor<double> mask = DropoutMask(2, 0.75).tensor<double>({100, 100});
  int kept = 0;
  for (const double element : mask.elements()) {
    if (element == 0.0) continue;
    ASSERT_EQ(element, 1.0 / 0.75);
    ++kept;
  }
  EXPECT_NEAR(kept, 7500, 4 * 44);  // four standard deviations of the binomial
  EXPECT_TRUE(same_bits(DropoutMask(2, 1.0).tensor<float>({4}), Tensor<float>::filled({4}, 1.0f)));
}

TEST(DropoutMasks, RefuseSharesThatMeanNothing) {
  for (const double keep : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(DropoutMask(1, keep), UsageError) << keep;
  }
}

}  // namespace
}  // namespace topos
