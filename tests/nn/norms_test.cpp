// Normalizations against PyTorch, and the running statistics of training.
#include "nn/captured.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/rms_norm.hpp"
#include "topos/nn/running_statistics.hpp"

namespace topos {
namespace {

using testing::Captured;
using testing::expect_captured;
using testing::near_captured;
using testing::Recorded;

template <class E>
class NormsAgainstPyTorch : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NormsAgainstPyTorch, ElementTypes);

template <class E>
BatchNorm<E> captured_batch_norm(Tape<E>& tape, const Captured& captured) {
  return BatchNorm<E>(tape, captured.input<E>("scale"), captured.input<E>("shift"), E(1e-5));
}

TYPED_TEST(NormsAgainstPyTorch, BatchNormInTraining) {
  using E = TypeParam;
  for (const char* title : {"training", "training images"}) {
    expect_captured<E>("batch_norm", title, [](Tape<E>& tape, const Captured& captured) -> Recorded {
      const BatchNorm<E> layer = captured_batch_norm(tape, captured);
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      const auto batch = layer.express(x);
      return {{{"output", batch.output}, {"mean", batch.mean}, {"variance", batch.variance}},
              {{"x", x}, {"scale", layer.scale()}, {"shift", layer.shift()}}};
    });
  }
}

TYPED_TEST(NormsAgainstPyTorch, BatchNormInInference) {
  using E = TypeParam;
  for (const char* title : {"inference", "inference images"}) {
    expect_captured<E>("batch_norm", title, [](Tape<E>& tape, const Captured& captured) -> Recorded {
      const BatchNorm<E> layer = captured_batch_norm(tape, captured);
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      const Value<E> mean = tape.parameter(captured.input<E>("mean"));
      const Value<E> variance = tape.parameter(captured.input<E>("variance"));
      return {{{"output", layer.express_with(x, mean, variance)}},
              {{"x", x},
               {"mean", mean},
               {"variance", variance},
               {"scale", layer.scale()},
               {"shift", layer.shift()}}};
    });
  }
}

TYPED_TEST(NormsAgainstPyTorch, RunningStatisticsOfTwoBatchesInASessionAndByTheCaller) {
  using E = TypeParam;
  const Captured captured("batch_norm", "running");
  const auto expected = captured.results<E>("outputs");
  // Batches of two sizes are two functions of one program.
  Tape<E> tape;
  const BatchNorm<E> layer = captured_batch_norm(tape, captured);
  const RunningStatistics<E> statistics(tape, 3, 0.1);
  const auto first = layer.express(tape.leaf(captured.input<E>("x")));
  const auto second = layer.express(tape.leaf(captured.input<E>("second")));
  const std::vector<Update> first_updates = statistics.updates(first);
  const std::vector<Update> second_updates = statistics.updates(second);
  const Network<E> network = std::move(tape).seal();
  Parameters<E> parameters = network.parameters();

  Tensor<E> mean = parameters.of(statistics.mean());
  Tensor<E> variance = parameters.of(statistics.variance());
  for (const auto* batch : {&first, &second}) {
    const Run<E> run = network.entry({batch->mean, batch->variance}).lower().forward(parameters);
    mean = running_average(mean, run.of(batch->mean), 0.1);
    variance = running_average(variance, unbiased(run.of(batch->variance), batch->rows), 0.1);
  }
  EXPECT_TRUE(near_captured(mean, expected.at("mean")));
  EXPECT_TRUE(near_captured(variance, expected.at("variance")));

  for (const auto& [output, updates] :
       {std::pair(first.output, first_updates), std::pair(second.output, second_updates)}) {
    Session<E> session = network.entry(output).update(updates).lower().session(parameters);
    session.run();
    parameters = session.parameters();
  }
  EXPECT_TRUE(same_bits(parameters.of(statistics.mean()), mean));
  EXPECT_TRUE(same_bits(parameters.of(statistics.variance()), variance));
}

TYPED_TEST(NormsAgainstPyTorch, LayerNorm) {
  using E = TypeParam;
  for (const char* title : {"layer", "layer more axes"}) {
    expect_captured<E>("norms", title, [](Tape<E>& tape, const Captured& captured) -> Recorded {
      const LayerNorm<E> layer(tape, captured.input<E>("scale"), captured.input<E>("shift"), E(1e-5));
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      return {{{"output", layer.express(x)}}, {{"x", x}, {"scale", layer.scale()}, {"shift", layer.shift()}}};
    });
  }
}

TYPED_TEST(NormsAgainstPyTorch, RmsNorm) {
  using E = TypeParam;
  for (const char* title : {"rms", "rms more axes"}) {
    expect_captured<E>("norms", title, [](Tape<E>& tape, const Captured& captured) -> Recorded {
      const RmsNorm<E> layer(tape, captured.input<E>("scale"), E(1e-6));
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      return {{{"output", layer.express(x)}}, {{"x", x}, {"scale", layer.scale()}}};
    });
  }
}

TEST(RunningStatistics, AreParametersThatNoLayerOffersToTraining) {
  Tape<float> tape;
  const BatchNorm<float> layer(tape, Tensor<float>::filled({2}, 1.0f), Tensor<float>::filled({2}, 0.0f),
                               1e-5f);
  const RunningStatistics<float> statistics(tape, 2, 0.1);
  EXPECT_EQ(parameters(layer), (Symbols{layer.scale(), layer.shift()}));
  EXPECT_EQ(parameters(statistics), (Symbols{statistics.mean(), statistics.variance()}));
  const std::vector<NamedParameter> named = named_parameters(statistics);
  EXPECT_EQ(named[0].name, "mean");
  EXPECT_EQ(named[1].name, "variance");
}

}  // namespace
}  // namespace topos
