#include "topos/emission/module.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <typeinfo>

#include "topos/base/error.hpp"
#include "topos/ops/op_list.hpp"
#include "topos/plan/patterns/election.hpp"
#include "topos/plan/patterns/pattern.hpp"
#include "topos/plan/patterns/pattern_list.hpp"

namespace topos::detail {
namespace {

template <class... Ops>
void spell_node(TypeList<Ops...>, const Graph& graph, NodeIndex index, StableHloWriter& out) {
  using Function = void (*)(const Node&, NodeIndex, StableHloWriter&);
  static constexpr Function table[] = {[](const Node& node, NodeIndex at, StableHloWriter& writer) {
    const Ops& op = node.operation.get<Ops>();
    if (Ops::rounds_inside && node.precision != Precision::working) {
      writer.begin_widened(at);
      op.spell(writer);
      return writer.end_widened();
    }
    writer.begin(at);
    op.spell(writer);
  }...};
  table[graph[index].operation.opcode()](graph[index], index, out);
}

/// How the candidate is written, null where the text has no operation for it.
template <class... Patterns>
const PatternSpelling* find_spelling(TypeList<Patterns...>, const Candidate& candidate) {
  const PatternSpelling* found = candidate.spelling;
  const auto look = [&]<class P>(std::type_identity<P>) {
    if constexpr (SpelledPattern<P>) {
      if (!found && candidate.attributes.type() == typeid(P)) found = &spelling_of<P>;
    }
  };
  (look(std::type_identity<Patterns>{}), ...);
  return found;
}

/// What is written: raised compositions, and the nodes that the results still need then.
Election choose(const Graph& graph, const Schedule& schedule, const std::vector<Candidate>& candidates,
                const StableHloWriter& out) {
  Election election = elect(graph, schedule, candidates, [&](const Candidate& candidate) {
    const PatternSpelling* spelling = find_spelling(PatternList{}, candidate);
    return spelling && spelling->fits(candidate.attributes, out);
  });
  std::vector<bool> interior(schedule.length(), false);
  for (const Candidate* raised : election.elected) {
    if (!raised) continue;
    for (const NodeIndex index : raised->interiors) interior[index] = true;
  }
  // A declared constant stays visible where it was recorded, even if a raise has copied it into an attribute.
  for (const NodeIndex index : schedule.wanted()) {
    if (graph[index].operation.is<Leaf>() && !interior[index]) election.needed[index] = true;
  }
  return election;
}

}  // namespace

std::string emit_module(const Graph& graph, const Schedule& schedule,
                        const std::vector<Candidate>& candidates, const std::vector<NodeIndex>& arguments,
                        const ElementTexts& elements, const std::function<std::string(NodeIndex)>& leaf) {
  if (schedule.results().empty()) {
    throw UsageError("a module must have a result: name at least one root or observed node in the entry");
  }
  StableHloWriter out(graph, elements, leaf);
  std::vector<std::string> signature;
  for (const NodeIndex index : arguments) {
    out.set_name(index, fmt::format("%arg{}", signature.size()));
    signature.push_back(fmt::format("{}: {}", out.name_of(index), out.type_of(index)));
  }
  const Election selection = choose(graph, schedule, candidates, out);
  for (const NodeIndex index : schedule.wanted()) {
    if (!selection.needed[index] || !out.name_of(index).empty()) continue;
    if (const Candidate* raised = selection.elected[index]) {
      out.begin(index);
      find_spelling(PatternList{}, *raised)->spell(raised->attributes, out);
    } else {
      spell_node(OpList{}, graph, index, out);
    }
  }
  std::vector<std::string> names;
  std::vector<std::string> types;
  for (const NodeIndex result : schedule.results()) {
    names.push_back(out.name_of(result));
    types.push_back(out.type_of(result));
  }
  return fmt::format("module @topos {{\n  func.func @main({}) -> ({}) {{\n{}    return {} : {}\n  }}\n}}\n",
                     fmt::join(signature, ", "), fmt::join(types, ", "), out.body(), fmt::join(names, ", "),
                     fmt::join(types, ", "));
}

}  // namespace topos::detail
