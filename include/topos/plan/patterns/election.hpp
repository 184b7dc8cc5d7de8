// Which candidates a consumer takes: emission those that it can spell, the engine those that it has a kernel
// for.
#pragma once

#include <functional>

#include "topos/plan/candidate.hpp"
#include "topos/plan/schedule.hpp"

namespace topos {

/// What a consumer takes, and what is left to compute.
struct Election {
  std::vector<const Candidate*> elected;  ///< by node: the candidate rooted there, or null
  std::vector<bool> needed;               ///< by node: computed still, as itself or as an elected root; not
                                          ///< what an elected candidate gives besides
};

/// Takes, for each root, the first candidate that `supports` accepts. A node is needed if a result, an
/// elected candidate or a needed node reads it. The candidates must outlive the election.
Election elect(const Graph& graph, const Schedule& schedule, const std::vector<Candidate>& candidates,
               const std::function<bool(const Candidate&)>& supports);

}  // namespace topos
