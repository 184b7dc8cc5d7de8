// record/1M: 2^19 additions recorded, differentiated and lowered; about a million nodes, which are counted.
#include "timing.hpp"

namespace {

constexpr std::int64_t additions = 1 << 19;

void record(benchmark::State& state) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    topos::Tape<float> tape;
    const auto x = tape.parameter(topos::Tensor<float>(1.0f));
    auto y = x;
    for (std::int64_t i = 0; i < additions; ++i) y = y + x;
    const topos::Adjoints adjoints = tape.differentiate(y, {x});
    const auto network = std::move(tape).seal();
    const auto plan = network.entry(adjoints.roots()).lower();
    benchmark::DoNotOptimize(plan.schedule().wanted().data());
    nodes = network.size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  bench::report(state, "nodes/s", static_cast<double>(nodes));
}

BENCHMARK(record)->Name("record/1M")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
