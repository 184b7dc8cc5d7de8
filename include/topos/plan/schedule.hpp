// Which nodes a function of a program computes, in which order, and how long each value lives.
#pragma once

#include <memory>
#include <optional>

#include "topos/graph/graph.hpp"

namespace topos {

/// What a run keeps: just its results, or every value, so that a reverse scan can read it.
enum class Memory { forward, retain };

/// The nodes that declared results depend on, and the node after which each value is dead. Linear in nodes.
class Schedule {
 public:
  /// Throws UsageError for a symbol of another program. `roots` then `observes`, first occurrences, are the
  /// results.
  Schedule(const Graph& graph, const Symbols& roots, const Symbols& observes, Memory memory);

  std::size_t length() const { return is_wanted_.size(); }          ///< of the program when it was scheduled
  const std::vector<NodeIndex>& wanted() const { return wanted_; }  ///< ascending: the order of evaluation
  const std::vector<NodeIndex>& results() const { return results_; }
  bool is_wanted(NodeIndex index) const { return is_wanted_[index]; }  ///< for index < length()
  bool is_result(NodeIndex index) const { return is_result_[index]; }  ///< for index < length()
  const std::vector<bool>& result_mask() const { return is_result_; }  ///< is_result, by node
  Memory memory() const { return memory_; }                            ///< as it was asked for
  /// The last wanted node that reads this one, when the value may be dropped there.
  std::optional<NodeIndex> released_after(NodeIndex index) const;

  /// Elements alive after each wanted node is evaluated, before what it releases is dropped.
  std::vector<std::int64_t> live_series(const Graph& graph) const;

 private:
  void find_wanted(const Graph& graph);
  void find_releases(const Graph& graph);

  Memory memory_;
  std::vector<NodeIndex> results_;
  std::vector<NodeIndex> wanted_;
  std::vector<bool> is_wanted_;
  std::vector<bool> is_result_;
  std::vector<NodeIndex> release_;  // by node; `never` where the value is kept
};

/// One line per wanted node with its fate, then totals.
std::string describe(const Graph& graph, const Schedule& schedule);

}  // namespace topos
