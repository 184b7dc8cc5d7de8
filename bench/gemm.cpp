// gemm/N: the product of two N x N f32 matrices, both fed.
#include "timing.hpp"

namespace {

using namespace bench;

void gemm(benchmark::State& state) {
  const Extent n = state.range(0);
  Normal normal(1, 1.0);
  Tape<float> tape;
  const Value<float> a = tape.input(normal.tensor<float>({n, n}));
  const Value<float> b = tape.input(normal.tensor<float>({n, n}));
  const Value<float> product = matmul(a, b);
  const Feeds<float> feeds{{a, normal.tensor<float>({n, n})}, {b, normal.tensor<float>({n, n})}};
  Forward forward(std::move(tape), product);
  bench::time(state, [&] { forward.run(feeds); });
  report(state, "FLOP/s", 2.0 * static_cast<double>(n * n * n));
}

BENCHMARK(gemm)->Name("gemm")->RangeMultiplier(2)->Range(64, 2048)->UseRealTime();

}  // namespace
