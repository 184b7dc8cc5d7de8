// The normalization of rows as one step: the interpreter's bits.
#include <gtest/gtest.h>

#include <limits>

#include "plan/programs.hpp"
#include "topos/composites/normalization.hpp"

namespace topos {
namespace {

using testing::Machine;
using testing::Setting;
using testing::spread_by;

template <class E>
void expect_the_interpreters_bits(Extent rows, Extent features, const Tensor<E>& x, Centering centering) {
  Tape<E> tape;
  const Value<E> input = tape.input(x);
  const Value<E> scale = tape.parameter(spread_by<E>(2, Shape({features}), 2));
  const Value<E> shift = tape.parameter(spread_by<E>(2, Shape({features}), 3));
  const Value<E> epsilon = tape.leaf(Tensor<E>(E{1e-5f}));
  const Value<E> result = layer_norm(input, scale, shift, epsilon, centering);
  const Network<E> network = std::move(tape).seal();
  const Tensor<E> expected = network.entry(result).interpret(network.parameters()).of(result);
  Machine machine;
  const std::vector<Setting> settings = testing::settings();
  for (std::size_t i = 0; i < settings.size(); i += 5) {
    machine.use(settings[i].threads, settings[i].instruction_set);
    const Plan<E> plan = network.entry(result).engine(settings[i].options).lower();
    EXPECT_TRUE(same_bits(plan.forward(network.parameters()).of(result), expected))
        << rows << " x " << features << ", " << settings[i].describe();
    EXPECT_EQ(plan.describe_engine().find("layer_norm of") != std::string::npos,
              settings[i].options.fuse && features <= 4096);
  }
}

TEST(LayerNormSteps, GiveTheInterpretersBits) {
  for (const auto& [rows, features] :
       {std::pair<Extent, Extent>{1, 1}, {3, 5}, {70, 16}, {200, 33}, {7, 1000}, {2, 4096}, {2, 4097}}) {
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
  EXPECT_EQ(plan.describe_engine().find("layer_norm of"), std::string::npos);
  const auto names = [&] {
    std::vector<std::string_view> found;
    for (const Candidate& candidate : plan.candidates()) found.push_back(candidate.pattern);
    return found;
  }();
  EXPECT_EQ(names, std::vector<std::string_view>{"LayerNorm"}) << "a candidate, and not elected";
}

}  // namespace
}  // namespace topos
