// The program as data: nodes in recording order. What it means:
//  * A node is an operation, its operands (earlier nodes), its shape and what it is held in, all fixed when
//    it is recorded. Nodes are only appended: never moved, changed or removed, so an index is a name.
//  * Every value is computed as its operation defines it, each node rounding as it would alone; nothing is
//    contracted, reassociated or simplified, at home or in text.
//  * A node that no declared result depends on need not be computed; nothing else may be skipped.
//  * The structure does not depend on the element type: only payloads do.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "topos/graph/symbol.hpp"
#include "topos/ops/operation.hpp"

namespace topos {

// The sources: ops/leaf.hpp, ops/parameter.hpp and ops/input.hpp.
struct Leaf;
struct Parameter;
struct Input;

/// One node; of a source, the payload is the program's.
struct Node {
  Operation operation;                       ///< with its attributes
  std::array<NodeIndex, 2> operands{};       ///< the first operation.arity() count
  NodeIndex slot = 0;                        ///< of a source: position among the leaves, parameters or inputs
  Shape shape{};                             ///< of its value
  Precision precision = Precision::working;  ///< what its value is held in

  /// Its operands, without the unused places.
  std::span<const NodeIndex> operand_indices() const { return std::span(operands).first(operation.arity()); }
};

/// Nodes and where they came from.
class Graph {
 public:
  /// An empty graph with a fresh origin.
  Graph();
  /// A graph of the same origin without nodes: what a sealed tape keeps, so that its values can name
  /// themselves.
  static Graph sealed_remainder(const Graph& graph);

  /// What names this program in the process, as Symbol::origin does.
  std::uint64_t origin() const { return origin_; }
  /// Number of nodes.
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeIndex index) const { return nodes_[index]; }
  const std::vector<Node>& nodes() const { return nodes_; }  ///< in recording order
  /// The name of a node, which is not looked up.
  Symbol symbol(NodeIndex index) const { return Symbol(origin_, index); }
  // The node of each parameter and of each input, in recording order: slot to index.
  const std::vector<NodeIndex>& parameters() const { return parameters_; }
  const std::vector<NodeIndex>& inputs() const { return inputs_; }

  /// The index behind a symbol. Throws UsageError when it belongs to another program or was recorded later
  /// than this one ends.
  NodeIndex resolve(const Symbol& symbol) const;

  /// Appends a node and returns its index. Throws UsageError past 2^32 - 2 nodes.
  NodeIndex append(Node node);

 private:
  std::uint64_t origin_;
  std::vector<Node> nodes_;
  std::vector<NodeIndex> parameters_;
  std::vector<NodeIndex> inputs_;
  NodeIndex leaves_ = 0;
};

/// One node as a line: "   3  Mul            1, 2               [2, 2]"; " bf16" follows where it is
/// held so.
std::string describe(const Graph& graph, NodeIndex index);
/// Every node, a line each, then "network: 6 nodes, 1 parameter, 2 inputs" (or "tape: ...").
std::string describe(const Graph& graph, std::string_view kind);

}  // namespace topos
