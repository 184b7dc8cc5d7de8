// Pools and convolutions as one step each, forward and backward: the interpreter's bits.
#include <gtest/gtest.h>

#include <limits>

#include "plan/programs.hpp"
#include "topos/composites/convolution.hpp"

namespace topos {
namespace {

using testing::Machine;
using testing::Setting;
using testing::spread_by;

template <class E>
std::string differences(const Network<E>& network, const Symbols& results, const Feeds<E>& feeds,
                        std::size_t every) {
  const Parameters<E> parameters = network.parameters();
  const auto expected = network.entry(results).interpret(parameters, feeds);
  Machine machine;
  std::string text;
  const std::vector<Setting> settings = testing::settings();
  for (std::size_t i = 0; i < settings.size(); i += every) {
    machine.use(settings[i].threads, settings[i].instruction_set);
    const Plan<E> plan = network.entry(results).engine(settings[i].options).lower();
    const auto run = plan.forward(parameters, feeds);
    for (const Symbol& result : results) {
      if (!same_bits(run.of(result), expected.of(result)))
        text += fmt::format("node {}, {}\n", result.index(), settings[i].describe());
    }
  }
  return text;
}

template <class E>
bool has_step(const Network<E>& network, const Symbols& results, std::string_view kind) {
  return network.entry(results).lower().describe_engine().find(kind) != std::string::npos;
}

/// The maximum of windows of an image, weighted by `weights`, and the image's gradient.
template <class E>
struct Pool {
  Symbol image, weights, result, gradient;
  Network<E> network;

  Symbols results() const { return {result, gradient}; }
};

template <class E>
Pool<E> pool(const Shape& shape, Extent size, Extent stride) {
  Tape<E> tape;
  const Value<E> image = tape.input(spread_by<E>(1, shape, 1));
  const Value<E> pooled = max_pool(image, size, stride);
  const Value<E> weights = tape.input(spread_by<E>(1, pooled.shape(), 2));
  const Adjoints adjoints = tape.differentiate(sum(pooled * weights), {image});
  const Symbol gradient = adjoints.of(image);
  return {image, weights, pooled, gradient, std::move(tape).seal()};
}

TEST(WindowSteps, GiveTheInterpretersBitsForPools) {
  for (const Extent channels : {1, 3, 16, 21}) {
    for (const auto& [size, stride] : {std::pair<Extent, Extent>{2, 2}, {3, 3}, {3, 2}, {1, 1}, {2, 3}}) {
      const Pool<float> floats = pool<float>(Shape({2, channels, 11, 8}), size, stride);
      EXPECT_EQ(differences(floats.network, floats.results(), {}, 5), "")
          << channels << " channels, size " << size << ", stride " << stride;
      EXPECT_EQ(has_step(floats.network, floats.results(), "gradient of the maximum"),
                size == stride && size > 1);
    }
  }
  const Pool<double> doubles = pool<double>(Shape({1, 5, 7, 9}), 2, 2);
  EXPECT_EQ(differences(doubles.network, doubles.results(), {}, 5), "");
  EXPECT_TRUE(has_step(doubles.network, doubles.results(), "maximum of 2x2 windows"));
}

TEST(WindowSteps, GiveTheInterpretersBitsForTiesZerosInfinitiesAndNaN) {
  const Pool<float> of = pool<float>(Shape({1, 17, 6, 6}), 2, 2);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special{0.0f, -0.0f, infinity, -infinity, std::nanf(""), 1.0f, 1e-45f, -1.0f};
  const auto drawn = [&](const Shape& shape, std::uint64_t state) {
    std::vector<float> elements(static_cast<std::size_t>(shape.volume()));
    for (float& element : elements) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      element = special[(state >> 40) % special.size()];
    }
    return Tensor<float>(shape, std::move(elements));
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Feeds<float> fed{{of.image, drawn(Shape({1, 17, 6, 6}), seed)},
                           {of.weights, drawn(Shape({1, 17, 3, 3}), seed + 100)}};
    EXPECT_EQ(differences(of.network, of.results(), fed, 11), "") << seed;
  }
}

template <class E>
void expect_convolutions(const Shape& image_shape, const Shape& weights_shape, Extent stride, Extent padding,
                         Extent dilation) {
  Tape<E> tape;
  const Value<E> image = tape.parameter(spread_by<E>(1, image_shape, 1));
  const Value<E> weights = tape.parameter(spread_by<E>(1, weights_shape, 2));
  const Value<E> bias = tape.parameter(spread_by<E>(1, Shape({weights_shape[0]}), 3));
  const Value<E> result = conv2d(image, weights, bias, stride, padding, dilation);
  const Adjoints adjoints = tape.differentiate(sum(result * result), {image, weights, bias});
  const Network<E> network = std::move(tape).seal();
  EXPECT_TRUE(has_step(network, adjoints.roots(), "filters, ")) << "no step for the input's gradient";
  EXPECT_EQ(differences(network, adjoints.roots(), {}, 5), "")
      << topos::describe(image_shape) << topos::describe(weights_shape) << stride << padding << dilation;
}

TEST(WindowSteps, GiveTheInterpretersBitsForTheGradientsOfConvolutions) {
  expect_convolutions<float>(Shape({3, 4, 9, 10}), Shape({5, 4, 3, 3}), 1, 1, 1);
  expect_convolutions<float>(Shape({2, 18, 12, 7}), Shape({6, 18, 3, 2}), 2, 0, 1);
  expect_convolutions<float>(Shape({2, 3, 13, 11}), Shape({4, 3, 2, 3}), 1, 2, 3);
  expect_convolutions<float>(Shape({1, 2, 9, 9}), Shape({3, 2, 2, 2}), 3, 1, 2);
  expect_convolutions<float>(Shape({2, 40, 30, 30}), Shape({8, 40, 3, 3}), 1, 1, 1);  // in several bands
  expect_convolutions<double>(Shape({2, 5, 8, 8}), Shape({3, 5, 3, 3}), 2, 1, 1);
}

}  // namespace
}  // namespace topos
