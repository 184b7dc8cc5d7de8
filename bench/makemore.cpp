// makemore/step/ROUTE: one training step of the name model, gradient and update, the loss read.
// makemore/first: the model recorded, differentiated and lowered, and its first step.
#include "routes.hpp"
#include "timing.hpp"

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

/// Gradient and update of `parameters`; the loss before the update.
float step(Route& route, Parameters<float>& parameters, const Batch<float>& batch) {
  const StepValues values = route.step(parameters, batch);
  parameters = parameters.step(values.gradients, sgd(0.1f));
  return values.loss;
}

template <class MakeRoute>
void steps(benchmark::State& state, MakeRoute make_route) {
  const TrainingStep<float> recorded = record_training_step<float>(initial_parameters(0), rows);
  const Batch<float> batch = some_batch();
  Parameters<float> parameters = recorded.network.parameters();
  std::unique_ptr<Route> route;
  try {
    route = make_route(recorded);
  } catch (const EnvironmentError& error) {
    state.SkipWithError(error.what());
    return;
  }
  bench::time(state, [&] { benchmark::DoNotOptimize(step(*route, parameters, batch)); });
}

/// The recorded step with its update, as a session.
class PreparedStep {
 public:
  explicit PreparedStep(const std::vector<Tensor<float>>& initial)
      : recorded_(record_training_step<float>(initial, rows)) {
    Tape<float> tape = std::move(recorded_.network).reopen();
    const std::vector<Update> updates = record_sgd(tape, recorded_.adjoints, tape.leaf(Tensor<float>(0.1f)));
    recorded_.network = std::move(tape).seal();
    session_.emplace(recorded_.network.entry(recorded_.adjoints.target())
                         .update(updates)
                         .lower()
                         .session(recorded_.network.parameters()));
  }
  float run(const Batch<float>& batch) {
    session_->run({{recorded_.contexts, batch.contexts}, {recorded_.targets, batch.targets}});
    return session_->item(recorded_.adjoints.target());
  }

 private:
  TrainingStep<float> recorded_;
  std::optional<Session<float>> session_;
};

void plan(benchmark::State& state) {
  PreparedStep step(initial_parameters(0));
  const Batch<float> batch = some_batch();
  bench::time(state, [&] { benchmark::DoNotOptimize(step.run(batch)); });
}

void pjrt(benchmark::State& state) {
  steps(state, [](const TrainingStep<float>& recorded) {
    return pjrt_route(recorded, emit_stablehlo(recorded.plan));
  });
}

void first(benchmark::State& state) {
  const std::vector<Tensor<float>> initial = initial_parameters(0);
  const Batch<float> batch = some_batch();
  for (auto _ : state) benchmark::DoNotOptimize(PreparedStep(initial).run(batch));
}

BENCHMARK(plan)->Name("makemore/step/plan")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(pjrt)->Name("makemore/step/pjrt")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(first)->Name("makemore/first")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
