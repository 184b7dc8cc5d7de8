// A scheduled function of a program.
#pragma once

#include "topos/plan/candidate.hpp"
#include "topos/plan/patterns/pattern.hpp"
#include "topos/plan/run.hpp"
#include "topos/plan/session.hpp"

namespace topos {

/// Immutable and self-contained: stays good after its network is reopened and extended, and may run on many
/// threads at once.
template <class E>
class Plan {
 public:
  Plan(std::shared_ptr<const Program<E>> program, Schedule schedule, std::vector<Update> updates,
       const EngineOptions& options, std::span<const detail::PatternMatcher> patterns = {});
  Plan(const Plan&) = default;  // moving copies, so that a moved-from plan stays good
  Plan& operator=(const Plan&) = default;
  ~Plan() = default;

  // The program it is of, and what of it is computed when.
  const Graph& graph() const { return program_->graph; }
  const Program<E>& program() const { return *program_; }
  const Schedule& schedule() const { return schedule_; }

  /// The declared results, in order, duplicates dropped.
  Symbols results() const;
  /// What an emitted module takes: the parameters the results depend on, then the inputs, in recording order.
  Symbols arguments() const;
  /// Compositions that a backend may compute as one operation, as data.
  const std::vector<Candidate>& candidates() const { return *candidates_; }
  /// Elements alive after each step: Schedule::live_series.
  std::vector<std::int64_t> live_series() const { return schedule_.live_series(graph()); }
  /// One line per computed node with its fate, then totals.
  std::string describe() const { return topos::describe(graph(), schedule_); }

  /// The parameters that a session's run updates. Their new values are results, too.
  const std::vector<Update>& updates() const { return updates_; }
  /// The compiled steps, buffers and kernels on this machine; compiles now if nothing has run. Throws
  /// UsageError for a plan that retains every value: it is interpreted.
  std::string describe_engine() const;

  /// One pass. `parameters` of this program (a later, larger state is fine); unfed inputs take their
  /// defaults.
  Run<E> forward(const Parameters<E>& parameters, const Feeds<E>& feeds = {}) const;
  /// The plan with parameters and memory of its own, to run many times. Throws UsageError for parameters of
  /// another program, and for a plan that retains every value.
  Session<E> session(const Parameters<E>& parameters) const;

 private:
  detail::Engine<E>& engine() const;

  std::shared_ptr<const Program<E>> program_;
  Schedule schedule_;
  std::vector<Update> updates_;
  detail::Candidates candidates_;
  std::shared_ptr<detail::Engine<E>> engine_;  // none when every value is retained
};

#define TOPOS_INSTANTIATE(E) extern template class Plan<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
