// attention/12x256x64: causal softmax(q k^T / 8) v of twelve heads, 256 positions, width 64, all fed.
#include "timing.hpp"

namespace {

using namespace bench;

void attention(benchmark::State& state) {
  constexpr Extent heads = 12, positions = 256, width = 64;
  const Shape shape({heads, positions, width});
  const Shape scores_shape({heads, positions, positions});
  Normal normal(1, 1.0);
  Tape<float> tape;
  const Tensor<float> nothing = Tensor<float>::filled(shape, 0.0f);
  const Value<float> q = tape.input(nothing);
  const Value<float> k = tape.input(nothing);
  const Value<float> v = tape.input(nothing);
  // scaled_dot_product() is of one head; this is the same composition with the heads leading.
  const Value<float> mask = broadcast_along(tape.leaf(causal_mask<float>(positions)), 0, heads);
  const Value<float> scores = matmul(q, permute(k, {0, 2, 1}));
  const Value<float> scaled = scores * Tensor<float>::filled(scores_shape, 0.125f);
  const Value<float> result = matmul(softmax(scaled + mask, 2), v);
  const Feeds<float> feeds{
      {q, normal.tensor<float>(shape)}, {k, normal.tensor<float>(shape)}, {v, normal.tensor<float>(shape)}};
  Forward forward(std::move(tape), result);
  bench::time(state, [&] { forward.run(feeds); });
}

BENCHMARK(attention)->Name("attention/12x256x64")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
