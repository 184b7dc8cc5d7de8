// chain/N: tanh(x * y + z) * 2 - exp(-x) over N fed f32 elements, recorded as it is written.
#include "timing.hpp"

namespace {

using namespace bench;

void chain(benchmark::State& state) {
  const Shape shape({state.range(0)});
  Normal normal(1, 1.0);
  Tape<float> tape;
  const Tensor<float> nothing = Tensor<float>::filled(shape, 0.0f);
  const Value<float> x = tape.input(nothing);
  const Value<float> y = tape.input(nothing);
  const Value<float> z = tape.input(nothing);
  const Value<float> left = tanh(x * y + z) * Tensor<float>::filled(shape, 2.0f);
  const Value<float> result = left - exp(-x);
  const Feeds<float> feeds{
      {x, normal.tensor<float>(shape)}, {y, normal.tensor<float>(shape)}, {z, normal.tensor<float>(shape)}};
  Forward forward(std::move(tape), result);
  bench::time(state, [&] { forward.run(feeds); });
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(chain)->Name("chain")->Arg(1 << 16)->Arg(1 << 24)->UseRealTime();

}  // namespace
