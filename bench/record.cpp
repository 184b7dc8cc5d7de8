// record/N: a chain of N additions recorded, differentiated and lowered; items are nodes.
#include <benchmark/benchmark.h>

#include "topos/topos.hpp"

namespace {

void record(benchmark::State& state) {
  std::int64_t nodes = 0;
  for (auto _ : state) {
    topos::Tape<float> tape;
    const auto x = tape.parameter(topos::Tensor<float>(1.0f));
    auto y = x;
    for (std::int64_t i = 0; i < state.range(0); ++i) y = y + x;
    const topos::Adjoints adjoints = tape.differentiate(y, {x});
    const auto network = std::move(tape).seal();
    const auto plan = network.entry(adjoints.roots()).lower();
    benchmark::DoNotOptimize(plan.schedule().wanted().data());
    nodes += static_cast<std::int64_t>(network.size());
  }
  state.SetItemsProcessed(nodes);
}

BENCHMARK(record)->Name("record")->Arg(1 << 12)->Arg(1 << 16)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

}  // namespace
