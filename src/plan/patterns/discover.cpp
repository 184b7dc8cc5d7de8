#include "topos/plan/patterns/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "topos/base/error.hpp"
#include "topos/plan/patterns/pattern.hpp"
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

/// What a program's own pattern says of itself, since a wrong node would be read out of bounds.
void require_sound(const MatchContext& context, const Candidate& candidate) {
  const auto require = [&](const std::vector<NodeIndex>& nodes, NodeIndex end, std::string_view role) {
    for (const NodeIndex node : nodes) {
      if (node < end && context.schedule.is_wanted(node)) continue;
      throw UsageError(fmt::format(
          "pattern {} {} node {} at its root, node {}: name nodes of the plan that come before it",
          candidate.pattern, role, node, candidate.root));
    }
  };
  require(candidate.interiors, candidate.root, "stands for");
  require(candidate.reads, candidate.root, "reads");
  require(candidate.gives, static_cast<NodeIndex>(context.schedule.length()), "gives");
}

void discover(const MatchContext& context, const detail::PatternMatcher& pattern, bool is_own,
              Readers& readers, std::vector<Candidate>& found) {
  for (const NodeIndex root : context.schedule.wanted()) {
    std::optional<Candidate> candidate = pattern.match(context, root);
    if (!candidate) continue;
    if (is_own) require_sound(context, *candidate);
    std::vector<NodeIndex>& interiors = candidate->interiors;
    std::sort(interiors.begin(), interiors.end());
    interiors.erase(std::unique(interiors.begin(), interiors.end()), interiors.end());
    const bool barred = std::any_of(interiors.begin(), interiors.end(),
                                    [&](NodeIndex index) { return context.schedule.is_result(index); });
    if (barred) continue;
    // Over no elements there is nothing to gain, and the reference interpreter aborts on empty windows.
    const auto is_empty = [&](NodeIndex index) { return context.shape(index).volume() == 0; };
    if (is_empty(root) || std::any_of(candidate->reads.begin(), candidate->reads.end(), is_empty)) continue;
    if (pattern.is_closed && !is_closed(*candidate, readers)) continue;
    found.push_back(std::move(*candidate));
  }
}

template <class... Patterns>
void discover_listed(TypeList<Patterns...>, const MatchContext& context, Readers& readers,
                     std::vector<Candidate>& found) {
  (discover(context, detail::matcher_of<Patterns>(), false, readers, found), ...);
}

}  // namespace

std::vector<Candidate> detail::discover_candidates(const MatchContext& context,
                                                   std::span<const detail::PatternMatcher> own) {
  std::vector<Candidate> found;
  Readers readers(context);
  // A program knows its own patterns, so they come first: of one root's candidates the first is taken.
  for (const detail::PatternMatcher& pattern : own) discover(context, pattern, true, readers, found);
  discover_listed(PatternList{}, context, readers, found);
  return found;
}

}  // namespace topos
