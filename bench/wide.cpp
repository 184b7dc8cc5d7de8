// wide/train: gradient descent on a network 1024 -> 2048 tanh -> 512 with a squared error, batch 1024.
#include "timing.hpp"

namespace {

using namespace bench;

void train(benchmark::State& state) {
  constexpr Extent batch = 1024, inputs = 1024, hidden = 2048, outputs = 512;
  Normal weight(1, 0.02);
  Normal data(2, 1.0);
  Tape<float> tape;
  const Value<float> x = tape.input(Tensor<float>::filled(Shape({batch, inputs}), 0.0f));
  const Value<float> y = tape.input(Tensor<float>::filled(Shape({batch, outputs}), 0.0f));
  const Value<float> first = tape.parameter(weight.tensor<float>({inputs, hidden}));
  const Value<float> second = tape.parameter(weight.tensor<float>({hidden, outputs}));
  const Value<float> error = matmul(tanh(matmul(x, first)), second) - y;
  const Value<float> loss = sum(error * error);
  const Feeds<float> feeds{{x, data.tensor<float>({batch, inputs})},
                           {y, data.tensor<float>({batch, outputs})}};
  Training training(std::move(tape), loss, {first, second}, descent(1e-6f));
  bench::time(state, [&] { benchmark::DoNotOptimize(training.step(feeds)); });
  // A product forward and one for its weights' gradient in each layer, and one for the hidden gradient.
  report(state, "FLOP/s", 2.0 * batch * (2.0 * inputs * hidden + 3.0 * hidden * outputs));
}

BENCHMARK(train)->Name("wide/train")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
