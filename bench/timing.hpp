// How a recorded program is run when it is timed: the only place in bench/ that knows.
#pragma once

#include <benchmark/benchmark.h>

#include "topos/topos.hpp"

namespace bench {

using namespace topos;

/// A function with one result, prepared once and run many times.
class Forward {
 public:
  Forward(Tape<float> tape, const Symbol& result)
      : network_(std::move(tape).seal()),
        plan_(network_.entry({result}).lower()),
        parameters_(network_.parameters()),
        result_(result) {}

  /// One run, the result's elements computed.
  void run(const Feeds<float>& feeds) {
    const Run<float> run = plan_.forward(parameters_, feeds);
    benchmark::DoNotOptimize(run.of(result_).elements().data());
  }

 private:
  Network<float> network_;
  Plan<float> plan_;
  Parameters<float> parameters_;
  Symbol result_;
};

/// Gradient descent on a loss: the state, and a step that changes it.
class Training {
 public:
  Training(Tape<float> tape, const Symbol& loss, const Symbols& trained, float rate)
      : adjoints_(tape.differentiate(loss, trained)),
        network_(std::move(tape).seal()),
        plan_(network_.entry(adjoints_.roots()).lower()),
        parameters_(network_.parameters()),
        rate_(rate) {}

  /// Gradient and update; the loss before the update.
  float step(const Feeds<float>& feeds) {
    const Run<float> run = plan_.forward(parameters_, feeds);
    parameters_ = parameters_.step(run.gradients(adjoints_), sgd(rate_));
    return run.of(adjoints_.target()).item();
  }

 private:
  Adjoints adjoints_;
  Network<float> network_;
  Plan<float> plan_;
  Parameters<float> parameters_;
  float rate_;
};

/// Times `iteration`, which has run once before: what happens only the first time is not its speed.
template <class Iteration>
void time(benchmark::State& state, Iteration iteration) {
  iteration();
  for (auto _ : state) iteration();
}

/// A counter of `work` per iteration, reported as a rate: report(state, "FLOP/s", 2e9).
inline void report(benchmark::State& state, const char* name, double work) {
  state.counters[name] = benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace bench
