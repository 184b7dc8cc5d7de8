// makemore/step/ROUTE: one training step of the name model, gradient and update, the loss read; the routes
// run on the same parameters and batch in one process, so their ratio means something.
#include <benchmark/benchmark.h>

#include "routes.hpp"

namespace {

using namespace makemore;

constexpr Extent rows = 64;

Batch<float> some_batch() {
  std::vector<Sample> samples(rows);
  SplitMix64 random(1);
  for (Sample& sample : samples) {
    for (std::int64_t& character : sample.characters)
      character = static_cast<std::int64_t>(random.next() % vocabulary);
    sample.next = static_cast<std::int64_t>(random.next() % vocabulary);
  }
  return make_batch<float>(samples);
}

template <class MakeRoute>
void step(benchmark::State& state, MakeRoute make_route) {
  const TrainingStep<float> recorded = record_training_step<float>(initial_parameters(0), rows);
  const std::unique_ptr<Route> route = make_route(recorded);
  const Batch<float> batch = some_batch();
  Parameters<float> parameters = recorded.network.parameters();
  for (auto _ : state) {
    const StepValues values = route->step(parameters, batch);
    parameters = parameters.step(values.gradients, sgd(0.1f));
    benchmark::DoNotOptimize(values.loss);
  }
}

void step_plan(benchmark::State& state) {
  step(state, [](const TrainingStep<float>& recorded) { return plan_route(recorded); });
}
void step_pjrt(benchmark::State& state) {
  step(state, [](const TrainingStep<float>& recorded) {
    return pjrt_route(recorded, emit_stablehlo(recorded.plan));
  });
}

void first(benchmark::State& state) {
  const std::vector<Tensor<float>> initial = initial_parameters(0);
  const Batch<float> batch = some_batch();
  for (auto _ : state) {
    const TrainingStep<float> recorded = record_training_step<float>(initial, rows);
    benchmark::DoNotOptimize(plan_route(recorded)->step(recorded.network.parameters(), batch).loss);
  }
}

BENCHMARK(step_plan)->Name("makemore/step/plan")->Unit(benchmark::kMillisecond);
BENCHMARK(step_pjrt)->Name("makemore/step/pjrt")->Unit(benchmark::kMillisecond);
BENCHMARK(first)->Name("makemore/first")->Unit(benchmark::kMillisecond);

}  // namespace
