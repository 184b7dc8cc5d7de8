// How a recorded program is run when it is timed: the only place in bench/ that knows.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

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

/// What a step does with the gradients: records the new values of what is trained.
using RecordUpdates = std::function<std::vector<Update>(Tape<float>&, const Adjoints&)>;

inline RecordUpdates descent(float rate) {
  return [rate](Tape<float>& tape, const Adjoints& adjoints) {
    return record_sgd(tape, adjoints, tape.leaf(Tensor<float>(rate)));
  };
}

/// Training on a loss, the update part of the plan: the state, and a step that changes it. The gradient by
/// `also` is a result of each step, too.
class Training {
 public:
  Training(Tape<float> tape, const Symbol& loss, const Symbols& trained, const RecordUpdates& updates,
           const Symbols& also = {})
      : Training(std::move(tape), loss, trained, updates, also, {loss}, {}) {}

  /// Gradient and update; the loss before the update.
  float step(const Feeds<float>& feeds) {
    session_.run(feeds);
    return session_.item(loss_);
  }

 private:
  Training(Tape<float> tape, const Symbol& loss, const Symbols& trained, const RecordUpdates& record_updates,
           const Symbols& also, Symbols roots, std::vector<Update> updates)
      : loss_(loss),
        network_(record(std::move(tape), loss, trained, record_updates, also, roots, updates)),
        session_(network_.entry(roots).update(updates).lower().session(network_.parameters())) {}

  static Network<float> record(Tape<float> tape, const Symbol& loss, const Symbols& trained,
                               const RecordUpdates& record_updates, const Symbols& also, Symbols& roots,
                               std::vector<Update>& updates) {
    Symbols all = trained;
    all.insert(all.end(), also.begin(), also.end());
    const Adjoints adjoints = tape.differentiate(loss, all);
    const auto first_other = adjoints.pairs().begin() + static_cast<std::ptrdiff_t>(trained.size());
    for (auto pair = first_other; pair != adjoints.pairs().end(); ++pair) roots.push_back(pair->gradient);
    if (!trained.empty()) updates = record_updates(tape, {loss, {adjoints.pairs().begin(), first_other}});
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
