// map/F/N: one function over N f32 elements; gemm/N: the reference product of two N x N f32 matrices.
#include <benchmark/benchmark.h>

#include "topos/nn/initialize.hpp"
#include "topos/topos.hpp"

namespace {

using namespace topos;

template <class Op>
void map(benchmark::State& state) {
  const Tensor<float> x = Normal(1, 1.0).tensor<float>({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(apply(Op{}, x, Where::current()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void gemm(benchmark::State& state) {
  const Extent n = state.range(0);
  const Tensor<float> a = Normal(1, 1.0).tensor<float>({n, n});
  const Tensor<float> b = Normal(2, 1.0).tensor<float>({n, n});
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(map<Exp>)->Name("map/exp")->Arg(65536);
BENCHMARK(map<Log>)->Name("map/log")->Arg(65536);
BENCHMARK(map<Tanh>)->Name("map/tanh")->Arg(65536);
BENCHMARK(map<Sin>)->Name("map/sin")->Arg(65536);
BENCHMARK(map<Erf>)->Name("map/erf")->Arg(65536);
BENCHMARK(gemm)->Name("gemm")->Arg(64)->Arg(256)->Arg(512);

}  // namespace
