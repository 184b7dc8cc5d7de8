#include "topos/plan/patterns/discover.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "topos/plan/patterns/pattern_list.hpp"

namespace topos {
namespace {

/// The wanted nodes that read each node, found when the first pattern asks.
class Readers {
 public:
  explicit Readers(const MatchContext& context) : context_(context) {}

  std::span<const NodeIndex> of(NodeIndex node) {
    if (first_.empty()) find();
    return std::span(readers_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  void find() {
    first_.assign(context_.schedule.length() + 1, 0);
    const auto for_links = [&](const auto& visit) {
      for (const NodeIndex index : context_.schedule.wanted()) {
        for (const NodeIndex operand : context_.node(index).operand_indices()) visit(operand, index);
      }
    };
    for_links([&](NodeIndex operand, NodeIndex) { ++first_[operand + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    readers_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_links([&](NodeIndex operand, NodeIndex reader) { readers_[next[operand]++] = reader; });
  }

  const MatchContext& context_;
  std::vector<std::size_t> first_;
  std::vector<NodeIndex> readers_;
};

/// Whether nothing outside a candidate reads its interiors, and nothing that comes before its root what it
/// gives.
bool is_closed(const Candidate& candidate, Readers& readers) {
  const auto is_inside = [&](NodeIndex node) {
    return node == candidate.root ||
           std::binary_search(candidate.interiors.begin(), candidate.interiors.end(), node) ||
           std::find(candidate.gives.begin(), candidate.gives.end(), node) != candidate.gives.end();
  };
  const auto all_readers = [&](const std::vector<NodeIndex>& nodes, const auto& allowed) {
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex node) {
      const auto of = readers.of(node);
      return std::all_of(of.begin(), of.end(), allowed);
    });
  };
  return all_readers(candidate.interiors, is_inside) && all_readers(candidate.gives, [&](NodeIndex reader) {
           return is_inside(reader) || reader > candidate.root;
         });
}

template <class Pattern>
void discover(const MatchContext& context, Readers& readers, std::vector<Candidate>& found) {
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
    Candidate candidate{Pattern::name, root, std::move(match.interiors), {}, std::move(reads), {}};
    if constexpr (requires { pattern->gives(); }) candidate.gives = pattern->gives();
    if constexpr (requires { Pattern::is_closed; }) {
      if (!is_closed(candidate, readers)) continue;
    }
    candidate.attributes = std::move(*pattern);
    found.push_back(std::move(candidate));
  }
}

template <class... Patterns>
void discover_all(TypeList<Patterns...>, const MatchContext& context, std::vector<Candidate>& found) {
  Readers readers(context);
  (discover<Patterns>(context, readers, found), ...);
}

}  // namespace

std::vector<Candidate> discover_candidates(const MatchContext& context) {
  std::vector<Candidate> found;
  discover_all(PatternList{}, context, found);
  return found;
}

}  // namespace topos
