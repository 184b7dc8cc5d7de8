#include "topos/plan/patterns/election.hpp"

#include <span>

namespace topos {

Election elect(const Graph& graph, const Schedule& schedule, const std::vector<Candidate>& candidates,
               const std::function<bool(const Candidate&)>& supports) {
  Election election{std::vector<const Candidate*>(schedule.length(), nullptr),
                    std::vector<bool>(schedule.length(), false)};
  for (const Candidate& candidate : candidates) {
    const Candidate*& elected = election.elected[candidate.root];
    if (!elected && supports(candidate)) elected = &candidate;
  }
  // A node that an elected candidate gives is there once the candidate's root is.
  std::vector<NodeIndex> giver(schedule.length());
  for (const NodeIndex index : schedule.wanted()) giver[index] = index;
  for (const Candidate* candidate : election.elected) {
    if (!candidate) continue;
    for (const NodeIndex given : candidate->gives) giver[given] = candidate->root;
  }
  for (const NodeIndex result : schedule.results()) election.needed[giver[result]] = true;
  for (auto wanted = schedule.wanted().rbegin(); wanted != schedule.wanted().rend(); ++wanted) {
    if (!election.needed[*wanted]) continue;
    const Candidate* elected = election.elected[*wanted];
    const auto reads =
        elected ? std::span<const NodeIndex>(elected->reads) : graph[*wanted].operand_indices();
    for (const NodeIndex read : reads) election.needed[giver[read]] = true;
  }
  return election;
}

}  // namespace topos
