#include "topos/plan/patterns/discover.hpp"

#include <algorithm>

#include "topos/plan/patterns/pattern_list.hpp"

namespace topos {
namespace {

template <class Pattern>
void discover(const MatchContext& context, std::vector<Candidate>& found) {
  for (const NodeIndex root : context.schedule.wanted()) {
    PatternMatch match;
    std::optional<Pattern> pattern = Pattern::match(context, root, match);
    if (!pattern) continue;
    std::sort(match.interiors.begin(), match.interiors.end());
    match.interiors.erase(std::unique(match.interiors.begin(), match.interiors.end()), match.interiors.end());
    const bool barred = std::any_of(match.interiors.begin(), match.interiors.end(),
                                    [&](NodeIndex index) { return context.schedule.is_result(index); });
    if (barred) continue;
    std::vector<NodeIndex> reads = pattern->reads();
    // Over no elements there is nothing to gain, and the reference interpreter aborts on empty windows.
    const auto is_empty = [&](NodeIndex index) { return context.shape(index).volume() == 0; };
    if (is_empty(root) || std::any_of(reads.begin(), reads.end(), is_empty)) continue;
    found.push_back({Pattern::name, root, std::move(match.interiors), std::move(reads), std::move(*pattern)});
  }
}

template <class... Patterns>
void discover_all(TypeList<Patterns...>, const MatchContext& context, std::vector<Candidate>& found) {
  (discover<Patterns>(context, found), ...);
}

}  // namespace

std::vector<Candidate> discover_candidates(const MatchContext& context) {
  std::vector<Candidate> found;
  discover_all(PatternList{}, context, found);
  return found;
}

}  // namespace topos
