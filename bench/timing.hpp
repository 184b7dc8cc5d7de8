// How a recorded program is run when it is timed: the only place in bench/ that knows.
#pragma once

#include <benchmark/benchmark.h>

#include "topos/nn/sgd.hpp"
#include "topos/topos.hpp"

namespace bench {

using namespace topos;

/// A function with one result, prepared once and run many times.
class Forward {
 public:
  Forward(Tape<float> tape, const Symbol& result)
      : network_(std::move(tape).seal()),
        session_(network_.entry(result).lower().session(network_.parameters())),
        result_(result) {}

  /// One run, the result's elements computed.
  void run(const Feeds<float>& feeds) {
    session_.run(feeds);
    benchmark::DoNotOptimize(session_.value(result_).data());
  }

 private:
  Network<float> network_;
  Session<float> session_;
  Symbol result_;
};

/// Gradient descent on a loss, the update part of the plan: the state, and a step that changes it.
class Training {
 public:
  Training(Tape<float> tape, const Symbol& loss, const Symbols& trained, float rate)
      : Training(std::move(tape), loss, trained, rate, {}) {}

  /// Gradient and update; the loss before the update.
  float step(const Feeds<float>& feeds) {
    session_.run(feeds);
    return session_.item(loss_);
  }

 private:
  Training(Tape<float> tape, const Symbol& loss, const Symbols& trained, float rate,
           std::vector<Update> updates)
      : loss_(loss),
        network_(record(std::move(tape), loss, trained, rate, updates)),
        session_(network_.entry(loss).update(updates).lower().session(network_.parameters())) {}

  static Network<float> record(Tape<float> tape, const Symbol& loss, const Symbols& trained, float rate,
                               std::vector<Update>& updates) {
    const Adjoints adjoints = tape.differentiate(loss, trained);
    updates = record_sgd(tape, adjoints, tape.leaf(Tensor<float>(rate)));
    return std::move(tape).seal();
  }

  Symbol loss_;
  Network<float> network_;
  Session<float> session_;
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
