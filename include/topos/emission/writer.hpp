// The StableHLO lines of one module, as operations and patterns spell them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topos/graph/graph.hpp"

namespace topos {

/// How an element type prints.
struct ElementText {
  std::string_view name;                 ///< "f32"
  std::string_view accumulator;          ///< what sums are carried in
  std::string (*literal)(double value);  ///< a value's literal
  std::string negative_infinity;         ///< its literal
  std::string (*dense)(const Shape& shape, const std::vector<double>& elements);  ///< "dense<...>"
};

/// The tape's element, and what nodes that are held in bf16 print as.
struct ElementTexts {
  ElementText working;  ///< the tape's own
  ElementText bf16;     ///< of what is held in it

  /// The one of the precision.
  const ElementText& of(Precision precision) const { return precision == Precision::bf16 ? bf16 : working; }
};

/// Appends the lines of one node at a time. Operation and pattern headers spell themselves over this class
/// without including it: their spelling is a template.
class StableHloWriter {
 public:
  StableHloWriter(const Graph& graph, const ElementTexts& elements,
                  std::function<std::string(NodeIndex)> leaf)
      : graph_(graph),
        elements_(elements),
        element_(&elements.working),
        leaf_(std::move(leaf)),
        names_(graph.size()) {}

  // The node being spelled; types and literals are of what it is held in.
  void begin(NodeIndex node);
  /// The same of a node of one operand, spelled in the working element from its operand promoted to that, and
  /// rounded by end_widened().
  void begin_widened(NodeIndex node);
  void end_widened();
  std::string operand(std::size_t i) const {
    return promoted_operand_.empty() ? names_[graph_[node_].operands[i]] : promoted_operand_;
  }
  std::string operand_type(std::size_t i) const { return type_of(graph_[node_].operands[i]); }
  const Shape& shape(std::size_t i) const { return graph_[graph_[node_].operands[i]].shape; }
  const Shape& result_shape() const { return graph_[node_].shape; }
  // Any node: a pattern reads more than its root's operands.
  const std::string& name_of(NodeIndex node) const { return names_[node]; }
  const Shape& shape_of(NodeIndex node) const { return graph_[node].shape; }
  void set_name(NodeIndex node, std::string name) { names_[node] = std::move(name); }

  // Types and literals.
  std::string type(const Shape& shape) const { return tensor_type(shape, element_->name); }
  /// Of any node, whatever it is held in.
  std::string type_of(NodeIndex node) const {
    return tensor_type(shape_of(node), elements_.of(graph_[node].precision).name);
  }
  std::string accumulator_type(const Shape& shape) const { return tensor_type(shape, element_->accumulator); }
  static std::string predicate_type(const Shape& shape) { return tensor_type(shape, "i1"); }
  static std::string index_type(const Shape& shape) { return tensor_type(shape, "i64"); }
  std::string zero() const { return element_->literal(0.0); }
  std::string one() const { return element_->literal(1.0); }
  const std::string& negative_infinity() const { return element_->negative_infinity; }
  static std::vector<Axis> axes_without(const Shape& shape, Axis axis);

  // Lines. Each returns the name it defines: "%vN" + suffix; the empty suffix is the node's own value.
  std::string define(std::string_view suffix, std::string_view expression);
  std::string splat(std::string_view suffix, const Shape& shape, std::string_view literal);
  std::string index_constant(std::string_view suffix, const Shape& shape,
                             const std::vector<std::int64_t>& elements);
  std::string dense_constant(std::string_view suffix, const Shape& shape,
                             const std::vector<double>& elements);
  std::string reduce(std::string_view suffix, std::string_view operation, std::string_view operand,
                     const Shape& shape, std::string_view seed, const std::vector<Axis>& axes);
  std::string broadcast_in_dim(std::string_view suffix, std::string_view operand, const Shape& from,
                               const std::vector<Axis>& axes, const Shape& to);
  std::string reshape(std::string_view suffix, std::string_view operand, const Shape& from, const Shape& to);
  std::string transpose(std::string_view suffix, std::string_view operand, const Shape& from,
                        const std::vector<Axis>& order);
  /// Rows taken by one-hot rows: a product that adds nothing.
  std::string selected(std::string_view suffix, std::string_view selection, const Shape& selection_shape,
                       std::string_view table, const Shape& table_shape, const Shape& result);
  void elementwise(std::string_view operation);
  // Lines of operations that add, in the accumulator's type where that is wider than the element's.
  /// The operand converted to the accumulator; itself where that is the element.
  std::string promoted(const std::string& suffix, const std::string& operand, const Shape& shape);
  std::string accumulator_splat(std::string_view suffix, const Shape& shape, std::string_view literal);
  /// Defines `suffix` by an expression of the accumulator's type, which `accumulated` names before it is
  /// rounded.
  std::string define_rounded(std::string_view suffix, std::string_view accumulated,
                             std::string_view expression, const Shape& shape);
  std::string sum(const std::string& suffix, const std::string& operand, const Shape& shape,
                  const std::vector<Axis>& axes);
  /// A dot_general that adds, its result named "_accumulated" before it is rounded.
  std::string product(std::string_view suffix, std::string_view left, const Shape& left_shape,
                      std::string_view right, const Shape& right_shape, const std::vector<Axis>& batch,
                      const std::vector<Axis>& left_contracted, const std::vector<Axis>& right_contracted,
                      const Shape& result);
  void payload_constant();
  /// The literal of a leaf of one element.
  std::string leaf_literal(NodeIndex leaf) const;
  /// Whether that literal is an f32's.
  bool is_float_leaf(NodeIndex leaf) const;
  void alias(const std::string& name) { names_[node_] = name; }
  [[noreturn]] void source_is_an_argument() const;
  /// A line of its own, indented by four spaces and `depth` more.
  void line(std::string_view text, std::size_t depth = 0);
  /// "%vN" + suffix, without defining it.
  std::string local(std::string_view suffix) const;

  /// The lines so far.
  const std::string& body() const { return body_; }

 private:
  bool widens() const { return element_->accumulator != element_->name; }
  static std::string dot_general(std::string_view left, std::string_view right,
                                 const std::vector<Axis>& batch, const std::vector<Axis>& left_contracted,
                                 const std::vector<Axis>& right_contracted, std::string_view types);
  static std::string tensor_type(const Shape& shape, std::string_view element);

  const Graph& graph_;
  const ElementTexts& elements_;
  const ElementText* element_;  // of the node being spelled
  std::function<std::string(NodeIndex)> leaf_;
  std::vector<std::string> names_;
  NodeIndex node_ = 0;
  std::string promoted_operand_;  // empty, unless the node is spelled in a wider element
  std::string body_;
};

}  // namespace topos
