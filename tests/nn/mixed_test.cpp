// Layers beside an input held in bf16: they convert their parameters, which stay f32 and get f32 gradients.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/attention.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/convolution.hpp"
#include "topos/nn/dropout.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/rms_norm.hpp"
#include "topos/nn/running_statistics.hpp"
#include "topos/plan/entry.hpp"
#include "topos/tensor/convert.hpp"

namespace topos {
namespace {

using testing::equal_bits;
using testing::scattered;

/// The layer's output for a bf16 input, and the gradients of its parameters.
template <class E, class Record>
std::vector<Tensor<float>> results_of(const Shape& input, const Record& record) {
  Tape<E> tape;
  const auto weights = [](const Shape& shape, std::uint32_t seed) {
    return convert<E>(convert<Bf16>(scattered<float>(shape, seed)));
  };
  const Value<E> x = convert<Bf16>(tape.input(weights(input, 1)));
  const Value<E> output = record(tape, x, weights);
  EXPECT_EQ(output.precision(), x.precision());
  Symbols parameters;
  for (const NodeIndex index : tape.graph().parameters()) parameters.push_back(tape.graph().symbol(index));
  const Adjoints gradients = tape.vjp(output, output.leaf(weights(output.shape(), 9)), parameters);
  Symbols results{output};
  for (const Adjoints::Pair& pair : gradients.pairs()) {
    EXPECT_EQ(tape.resolve(pair.gradient).precision(), Precision::working);
    results.push_back(pair.gradient);
  }
  const Network<E> network = std::move(tape).seal();
  const auto run = network.entry(results).lower().forward(network.parameters());
  std::vector<Tensor<float>> found;
  for (const Symbol& result : results) found.push_back(convert<float>(run.of(result)));
  return found;
}

/// The parameters being bf16 numbers, a tape of bf16 has the same bits.
template <class Record>
void expect_the_bits_of_bf16(const Shape& input, std::size_t parameters, const Record& record) {
  const auto mixed = results_of<float>(input, record);
  const auto half = results_of<Bf16>(input, record);
  ASSERT_EQ(mixed.size(), 1 + parameters);
  for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_TRUE(equal_bits(mixed[i], half[i])) << i;
}

TEST(MixedLayers, ConvertTheirParametersAndHaveTheBitsOfATapeOfBf16) {
  expect_the_bits_of_bf16({4, 3}, 2, []<class E>(Tape<E>& tape, const Value<E>& x, auto weights) {
    return Linear<E>(tape, weights({3, 5}, 2), weights({5}, 3)).express(x);
  });
  expect_the_bits_of_bf16({2, 2, 6, 6}, 2, []<class E>(Tape<E>& tape, const Value<E>& x, auto weights) {
    return Conv2d<E>(tape, weights({4, 2, 3, 3}, 2), weights({4}, 3)).express(x);
  });
  expect_the_bits_of_bf16({4, 6}, 2, []<class E>(Tape<E>& tape, const Value<E>& x, auto weights) {
    return LayerNorm<E>(tape, weights({6}, 2), weights({6}, 3), static_cast<E>(1e-5)).express(x);
  });
  expect_the_bits_of_bf16({4, 6}, 1, []<class E>(Tape<E>& tape, const Value<E>& x, auto weights) {
    return RmsNorm<E>(tape, weights({6}, 2), static_cast<E>(1e-5)).express(x);
  });
  expect_the_bits_of_bf16({4, 6}, 2, []<class E>(Tape<E>& tape, const Value<E>& x, auto weights) {
    return BatchNorm<E>(tape, weights({6}, 2), weights({6}, 3), static_cast<E>(1e-5)).express(x).output;
  });
  expect_the_bits_of_bf16({4, 6}, 0, []<class E>(Tape<E>& tape, const Value<E>& x, auto) {
    return Dropout<E>(tape, {4, 6}).express(x);
  });
}

TEST(MixedLayers, AttentionTakesABf16InputToo) {
  Tape<float> tape;
  const auto layer = [&](std::uint32_t seed) {
    return Linear<float>(tape, scattered<float>(Shape({6, 6}), seed));
  };
  const Linear<float> query = layer(1), key = layer(2), value = layer(3), output = layer(4);
  const MultiHeadAttention<float> attention(query, key, value, output, 2);
  const auto x = convert<Bf16>(tape.input(scattered<float>(Shape({5, 6}), 5)));
  const auto result = attention.express(x);
  EXPECT_EQ(result.precision(), Precision::bf16);
  const Network<float> network = std::move(tape).seal();
  const Entry<float> entry = network.entry(result);
  EXPECT_TRUE(equal_bits(entry.lower().forward(network.parameters()).of(result),
                         entry.interpret(network.parameters()).of(result)));
}

TEST(MixedLayers, RunningStatisticsAreKeptInF32) {
  Tape<float> tape;
  const BatchNorm<float> norm(tape, Tensor<float>::filled({6}, 1.0f), Tensor<float>::filled({6}, 0.0f),
                              1e-5f);
  const RunningStatistics<float> running(tape, 6, 0.1);
  const auto batch = norm.express(convert<Bf16>(tape.input(scattered<float>(Shape({4, 6})))));
  const std::vector<Update> updates = running.updates(batch);
  const Symbol output = batch.output, mean = batch.mean;
  for (const Update& update : updates) EXPECT_EQ(tape.resolve(update.value).precision(), Precision::working);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({output, mean}).update(updates).lower();
  Session<float> session = plan.session(network.parameters());
  session.run();
  const auto run = plan.forward(network.parameters());
  EXPECT_TRUE(
      equal_bits(session.parameters().of(running.mean()), run.of(mean) * Tensor<float>::filled({6}, 0.1f)));
}

}  // namespace
}  // namespace topos
