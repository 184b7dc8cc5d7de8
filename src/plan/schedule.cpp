#include "topos/plan/schedule.hpp"

#include <fmt/format.h>

#include "topos/base/error.hpp"

namespace topos {
namespace {
constexpr NodeIndex never = ~NodeIndex{0};
}

Schedule::Schedule(const Graph& graph, const Symbols& roots, const Symbols& observes, Memory memory)
    : memory_(memory), is_wanted_(graph.size(), false), is_result_(graph.size(), false) {
  for (const Symbols* declared : {&roots, &observes}) {
    for (const Symbol& symbol : *declared) {
      const NodeIndex index = graph.resolve(symbol);
      if (!is_result_[index]) results_.push_back(index);
      is_result_[index] = true;
    }
  }
  find_wanted(graph);
  find_releases(graph);
}

void Schedule::find_wanted(const Graph& graph) {
  for (const NodeIndex result : results_) is_wanted_[result] = true;
  for (auto index = static_cast<NodeIndex>(length()); index-- > 0;) {
    if (!is_wanted_[index]) continue;
    for (const NodeIndex operand : graph[index].operand_indices()) is_wanted_[operand] = true;
  }
  for (NodeIndex index = 0; index < length(); ++index) {
    if (is_wanted_[index]) wanted_.push_back(index);
  }
}

void Schedule::find_releases(const Graph& graph) {
  release_.assign(length(), never);
  std::vector<bool> kept = is_result_;
  for (const NodeIndex index : wanted_) {
    const auto operands = graph[index].operand_indices();
    for (const NodeIndex operand : operands) release_[operand] = index;
    if (memory_ == Memory::forward) continue;
    const Reads reads = graph[index].operation.reads();
    if (includes(reads, Reads::output)) kept[index] = true;
    if (includes(reads, Reads::left)) kept[operands[0]] = true;
    if (includes(reads, Reads::right)) kept[operands[1]] = true;
  }
  for (const NodeIndex index : wanted_) {
    if (kept[index]) release_[index] = never;
  }
}

std::optional<NodeIndex> Schedule::released_after(NodeIndex index) const {
  if (release_[index] == never) return std::nullopt;
  return release_[index];
}

std::vector<std::int64_t> Schedule::live_series(const Graph& graph) const {
  std::vector<std::int64_t> series;
  std::int64_t live = 0;
  for (const NodeIndex index : wanted_) {
    live += graph[index].shape.volume();
    series.push_back(live);
    const auto operands = graph[index].operand_indices();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool repeated = i > 0 && operands[i] == operands[0];
      if (!repeated && release_[operands[i]] == index) live -= graph[operands[i]].shape.volume();
    }
  }
  return series;
}

std::string describe(const Graph& graph, const Schedule& schedule) {
  const bool forward = schedule.memory() == Memory::forward;
  std::string text;
  std::int64_t total = 0;
  for (const NodeIndex index : schedule.wanted()) {
    total += graph[index].shape.volume();
    std::string fate = "retained";
    if (schedule.is_result(index)) {
      fate = "kept";
    } else if (const auto release = schedule.released_after(index)) {
      fate = fmt::format("{} after {}", forward ? "freed" : "releasable", *release);
    }
    text += fmt::format("{:<52} {}\n", describe(graph, index), fate);
  }
  const std::vector<std::int64_t> series = schedule.live_series(graph);
  std::int64_t peak = 0;
  NodeIndex peak_node = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i] > peak) {
      peak = series[i];
      peak_node = schedule.wanted()[i];
    }
  }
  text += fmt::format("plan: {}; {} of {} nodes evaluated, {} readable\n", forward ? "forward" : "retain",
                      schedule.wanted().size(), schedule.length(), schedule.results().size());
  text +=
      forward
          ? fmt::format("live volume: peak {} elements at node {}, retain-all {}\n", peak, peak_node, total)
          : fmt::format("live volume: retain-all {}, release floor {} at node {}\n", total, peak, peak_node);
  return text;
}

}  // namespace topos
