#include "topos/graph/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <limits>

#include "topos/base/error.hpp"

namespace topos {
namespace {

std::uint64_t fresh_origin() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

Graph::Graph() : origin_(fresh_origin()) {}

Graph Graph::sealed_remainder(const Graph& graph) {
  Graph remainder;
  remainder.origin_ = graph.origin_;
  return remainder;
}

NodeIndex Graph::resolve(const Symbol& symbol) const {
  if (symbol.origin() != origin_) {
    throw UsageError(
        fmt::format("the symbol of node {} belongs to another program: a symbol is good for the tape "
                    "that recorded it and for the networks and plans made from that tape",
                    symbol.index()));
  }
  if (symbol.index() >= nodes_.size()) {
    throw UsageError(
        fmt::format("the symbol of node {} was recorded after this program's {} nodes: use the "
                    "network or plan made after it was recorded",
                    symbol.index(), nodes_.size()));
  }
  return symbol.index();
}

NodeIndex Graph::append(Node node) {
  if (nodes_.size() >= std::numeric_limits<NodeIndex>::max() - 1) {
    throw UsageError("a program cannot have more than 2^32 - 2 nodes");
  }
  const auto index = static_cast<NodeIndex>(nodes_.size());
  std::vector<NodeIndex>* slots = node.operation.is<Parameter>() ? &parameters_
                                  : node.operation.is<Input>()   ? &inputs_
                                                                 : nullptr;
  if (slots) {
    node.slot = static_cast<NodeIndex>(slots->size());
  } else if (node.operation.is<Leaf>()) {
    node.slot = leaves_;
  }
  const bool is_leaf = node.operation.is<Leaf>();
  nodes_.push_back(std::move(node));
  if (slots) slots->push_back(index);
  if (is_leaf) ++leaves_;
  return index;
}

std::string describe(const Graph& graph, NodeIndex index) {
  const Node& node = graph[index];
  std::string detail = fmt::format("{}", fmt::join(node.operand_indices(), ", "));
  const std::string fields = describe_fields(node.operation.fields());
  if (!detail.empty() && !fields.empty()) detail += "  ";
  detail += fields;
  const bool is_working = node.precision == Precision::working;
  return fmt::format("{:>4}  {:<14} {:<18} {}{}{}", index, node.operation.name(), detail,
                     describe(node.shape), is_working ? "" : " ", is_working ? "" : name_of(node.precision));
}

std::string describe(const Graph& graph, std::string_view kind) {
  std::string text;
  for (NodeIndex index = 0; index < graph.size(); ++index) text += describe(graph, index) + '\n';
  return text + fmt::format("{}: {}, {}, {}\n", kind, counted(graph.size(), "node"),
                            counted(graph.parameters().size(), "parameter"),
                            counted(graph.inputs().size(), "input"));
}

}  // namespace topos
