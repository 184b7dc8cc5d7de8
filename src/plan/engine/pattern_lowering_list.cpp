#include "plan/engine/pattern_lowering_list.hpp"

#include <algorithm>
#include <set>
#include <typeinfo>

#include "plan/engine/lowering_list.hpp"
#include "topos/plan/patterns/pattern_list.hpp"

namespace topos::engine {
namespace {

template <class F>
struct Row {
  const std::type_info& pattern;  // not its name, which a program's own pattern may have, too
  PatternLowering<F> lowering;
};

template <class F>
const std::vector<Row<F>>& rows() {
  static const std::vector<Row<F>> list = {
      {typeid(BatchNormTraining), batch_norm_training_lowering<F>()},
      {typeid(RowNorm), row_norm_lowering<F>()},
      {typeid(ReduceWindow), window_maximum_lowering<F>()},
      {typeid(ReduceWindowGradient), window_maximum_gradient_lowering<F>()},
      {typeid(SelectedLogSoftmax), selected_log_softmax_lowering<F>()},
      {typeid(SoftmaxAttention), attention_lowering<F>()},
      {typeid(WindowProductInputGradient), window_product_input_gradient_lowering<F>()},
  };
  return list;
}

}  // namespace

template <class F>
const PatternLowering<F>* pattern_lowering_of(const Candidate& candidate) {
  const auto found = std::find_if(rows<F>().begin(), rows<F>().end(), [&](const Row<F>& row) {
    return row.pattern == candidate.attributes.type();
  });
  return found == rows<F>().end() ? nullptr : &found->lowering;
}

template <class F>
Election elect_steps(const Graph& graph, const Schedule& schedule, const std::vector<Candidate>& candidates) {
  std::set<const Candidate*> refused;
  // One step rounds nothing inside: not what a composition held in bf16 would give.
  const auto is_wide = [&](const Candidate& candidate) {
    const auto wide = [&](NodeIndex index) { return graph[index].precision == Precision::working; };
    return wide(candidate.root) && std::all_of(candidate.interiors.begin(), candidate.interiors.end(), wide);
  };
  const auto supports = [&](const Candidate& candidate) {
    const PatternLowering<F>* lowering = pattern_lowering_of<F>(candidate);
    return lowering && refused.count(&candidate) == 0 && is_wide(candidate) &&
           lowering->supports(graph, candidate);
  };
  const auto costs_nothing = [&](NodeIndex index) {
    return graph[index].operation.is_source() || lowering_of<F>(graph[index].operation) == &lower_view<F>;
  };
  for (;;) {
    Election election = elect(graph, schedule, candidates, supports);
    const std::size_t before = refused.size();
    for (const Candidate* candidate : election.elected) {
      if (!candidate) continue;
      const bool saves =
          election.needed[candidate->root] &&
          std::none_of(candidate->interiors.begin(), candidate->interiors.end(), [&](NodeIndex interior) {
            return election.needed[interior] && !costs_nothing(interior);
          });
      if (!saves) refused.insert(candidate);
    }
    if (refused.size() == before) return election;
  }
}

template const PatternLowering<float>* pattern_lowering_of(const Candidate&);
template const PatternLowering<double>* pattern_lowering_of(const Candidate&);
template Election elect_steps<float>(const Graph&, const Schedule&, const std::vector<Candidate>&);
template Election elect_steps<double>(const Graph&, const Schedule&, const std::vector<Candidate>&);

}  // namespace topos::engine
