// A scheduled function of a program.
#pragma once

#include "topos/plan/candidate.hpp"
#include "topos/plan/run.hpp"
#include "topos/plan/schedule.hpp"

namespace topos {

/// Immutable and self-contained: stays good after its network is reopened and extended, and may run on many
/// threads at once.
template <class E>
class Plan {
 public:
  Plan(std::shared_ptr<const Program<E>> program, Schedule schedule);
  Plan(const Plan&) = default;  // moving copies, so that a moved-from plan stays good
  Plan& operator=(const Plan&) = default;
  ~Plan() = default;

  const Graph& graph() const { return program_->graph; }
  const Program<E>& program() const { return *program_; }
  const Schedule& schedule() const { return schedule_; }
  /// The declared results, in order, duplicates dropped.
  Symbols results() const;
  /// What an emitted module takes: the parameters the results depend on, then the inputs, in recording order.
  Symbols arguments() const;
  /// Compositions that a backend may compute as one operation, as data.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  std::vector<std::int64_t> live_series() const { return schedule_.live_series(graph()); }
  std::string describe() const { return topos::describe(graph(), schedule_); }

  /// One pass. `parameters` of this program (a later, larger state is fine); unfed inputs take their
  /// defaults.
  Run<E> forward(const Parameters<E>& parameters, const Feeds<E>& feeds = {}) const;

 private:
  std::shared_ptr<const Program<E>> program_;
  Schedule schedule_;
  std::vector<Candidate> candidates_;
};

extern template class Plan<float>;
extern template class Plan<double>;

}  // namespace topos
