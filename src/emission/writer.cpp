#include "topos/emission/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "topos/base/error.hpp"
#include "topos/emission/literal.hpp"

namespace topos {
namespace {

std::string splat_constant(const Shape& shape, std::string_view literal, std::string_view type) {
  return fmt::format("stablehlo.constant dense<{}> : {}", shape.volume() == 0 ? "" : literal, type);
}

Shape reduced(Shape shape, const std::vector<Axis>& axes) {
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) shape = shape.without_axis(*axis);
  return shape;
}

std::string reduction(std::string_view operation, std::string_view operand, std::string_view seed,
                      const std::vector<Axis>& axes, std::string_view operand_type,
                      std::string_view seed_type, std::string_view result_type) {
  return fmt::format("stablehlo.reduce({} init: {}) applies {} across dimensions = {} : ({}, {}) -> {}",
                     operand, seed, operation, describe(axes), operand_type, seed_type, result_type);
}

}  // namespace

std::string StableHloWriter::tensor_type(const Shape& shape, std::string_view element) {
  std::string text = "tensor<";
  for (const Extent extent : shape.extents()) text += fmt::format("{}x", extent);
  return text + std::string(element) + ">";
}

std::vector<Axis> StableHloWriter::axes_without(const Shape& shape, Axis axis) {
  std::vector<Axis> axes;
  for (Axis a = 0; a < shape.rank(); ++a) {
    if (a != axis) axes.push_back(a);
  }
  return axes;
}

void StableHloWriter::begin(NodeIndex node) {
  node_ = node;
  element_ = &elements_.of(graph_[node].precision);
}

void StableHloWriter::begin_widened(NodeIndex node) {
  begin(node);
  element_ = &elements_.working;
  promoted_operand_ = define("_promoted", fmt::format("stablehlo.convert {} : ({}) -> {}", operand(0),
                                                      operand_type(0), type(shape(0))));
}

void StableHloWriter::end_widened() {
  promoted_operand_.clear();
  const std::string wide_type = type(result_shape());
  begin(node_);
  define("",
         fmt::format("stablehlo.convert {} : ({}) -> {}", name_of(node_), wide_type, type(result_shape())));
}

void StableHloWriter::line(std::string_view text, std::size_t depth) {
  body_.append(4 + depth, ' ');
  body_ += text;
  body_ += '\n';
}

std::string StableHloWriter::local(std::string_view suffix) const {
  return fmt::format("%v{}{}", node_, suffix);
}

std::string StableHloWriter::define(std::string_view suffix, std::string_view expression) {
  const bool is_wide = suffix.empty() && !promoted_operand_.empty();
  std::string name = local(is_wide ? "_wide" : suffix);
  line(fmt::format("{} = {}", name, expression));
  if (suffix.empty()) names_[node_] = name;
  return name;
}

std::string StableHloWriter::splat(std::string_view suffix, const Shape& shape, std::string_view literal) {
  return define(suffix, splat_constant(shape, literal, type(shape)));
}

std::string StableHloWriter::index_constant(std::string_view suffix, const Shape& shape,
                                            const std::vector<std::int64_t>& elements) {
  return define(suffix, fmt::format("stablehlo.constant {} : {}", dense_index_attribute(shape, elements),
                                    index_type(shape)));
}

std::string StableHloWriter::dense_constant(std::string_view suffix, const Shape& shape,
                                            const std::vector<double>& elements) {
  return define(suffix,
                fmt::format("stablehlo.constant {} : {}", element_->dense(shape, elements), type(shape)));
}

std::string StableHloWriter::reduce(std::string_view suffix, std::string_view operation,
                                    std::string_view operand, const Shape& shape, std::string_view seed,
                                    const std::vector<Axis>& axes) {
  return define(suffix, reduction(operation, operand, seed, axes, type(shape), type(Shape()),
                                  type(reduced(shape, axes))));
}

std::string StableHloWriter::broadcast_in_dim(std::string_view suffix, std::string_view operand,
                                              const Shape& from, const std::vector<Axis>& axes,
                                              const Shape& to) {
  return define(suffix, fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : ({}) -> {}", operand,
                                    describe(axes), type(from), type(to)));
}

std::string StableHloWriter::reshape(std::string_view suffix, std::string_view operand, const Shape& from,
                                     const Shape& to) {
  return define(suffix, fmt::format("stablehlo.reshape {} : ({}) -> {}", operand, type(from), type(to)));
}

std::string StableHloWriter::transpose(std::string_view suffix, std::string_view operand, const Shape& from,
                                       const std::vector<Axis>& order) {
  return define(suffix, fmt::format("stablehlo.transpose {}, dims = {} : ({}) -> {}", operand,
                                    describe(order), type(from), type(from.permuted(order))));
}

std::string StableHloWriter::dot_general(std::string_view left, std::string_view right,
                                         const std::vector<Axis>& batch,
                                         const std::vector<Axis>& left_contracted,
                                         const std::vector<Axis>& right_contracted, std::string_view types) {
  const std::string batching =
      batch.empty() ? "" : fmt::format("batching_dims = {} x {}, ", describe(batch), describe(batch));
  return fmt::format("stablehlo.dot_general {}, {}, {}contracting_dims = {} x {} : {}", left, right, batching,
                     describe(left_contracted), describe(right_contracted), types);
}

void StableHloWriter::elementwise(std::string_view operation) {
  const std::size_t arity = graph_[node_].operation.arity();
  const std::string operands = arity == 1 ? operand(0) : operand(0) + ", " + operand(1);
  define("", fmt::format("{} {} : {}", operation, operands, type(result_shape())));
}

std::string StableHloWriter::promoted(const std::string& suffix, const std::string& operand,
                                      const Shape& shape) {
  if (!widens()) return operand;
  return define(suffix + "_promoted", fmt::format("stablehlo.convert {} : ({}) -> {}", operand, type(shape),
                                                  accumulator_type(shape)));
}

std::string StableHloWriter::accumulator_splat(std::string_view suffix, const Shape& shape,
                                               std::string_view literal) {
  return define(suffix, splat_constant(shape, literal, accumulator_type(shape)));
}

std::string StableHloWriter::define_rounded(std::string_view suffix, std::string_view accumulated,
                                            std::string_view expression, const Shape& shape) {
  if (!widens()) return define(suffix, expression);
  const std::string wide = define(accumulated, expression);
  return define(suffix,
                fmt::format("stablehlo.convert {} : ({}) -> {}", wide, accumulator_type(shape), type(shape)));
}

std::string StableHloWriter::sum(const std::string& suffix, const std::string& operand, const Shape& shape,
                                 const std::vector<Axis>& axes) {
  const std::string terms = promoted(suffix, operand, shape);
  const std::string seed = accumulator_splat(suffix + "_seed", Shape(), zero());
  const Shape result = reduced(shape, axes);
  return define_rounded(suffix, suffix + "_accumulated",
                        reduction("stablehlo.add", terms, seed, axes, accumulator_type(shape),
                                  accumulator_type(Shape()), accumulator_type(result)),
                        result);
}

std::string StableHloWriter::product(std::string_view suffix, std::string_view left, const Shape& left_shape,
                                     std::string_view right, const Shape& right_shape,
                                     const std::vector<Axis>& batch, const std::vector<Axis>& left_contracted,
                                     const std::vector<Axis>& right_contracted, const Shape& result) {
  // A product without terms is zeros, and leaves as such: the reference interpreter aborts on an empty
  // contraction.
  for (const Axis axis : left_contracted) {
    if (left_shape[axis] == 0) return splat(suffix, result, zero());
  }
  const std::string types =
      fmt::format("({}, {}) -> {}", type(left_shape), type(right_shape), accumulator_type(result));
  return define_rounded(suffix, "_accumulated",
                        dot_general(left, right, batch, left_contracted, right_contracted, types), result);
}

std::string StableHloWriter::selected(std::string_view suffix, std::string_view selection,
                                      const Shape& selection_shape, std::string_view table,
                                      const Shape& table_shape, const Shape& result) {
  if (table_shape[0] == 0) return splat(suffix, result, zero());  // as in `product`
  const std::string types =
      fmt::format("({}, {}) -> {}", type(selection_shape), type(table_shape), type(result));
  return define(suffix, dot_general(selection, table, {}, {1}, {0}, types));
}

void StableHloWriter::payload_constant() {
  define("", fmt::format("stablehlo.constant {} : {}", leaf_(node_), type(result_shape())));
}

std::string StableHloWriter::leaf_literal(NodeIndex leaf) const {
  const std::string constant = leaf_(leaf);  // "dense<1.0e-5>"
  const std::size_t first = constant.find('<') + 1;
  return constant.substr(first, constant.rfind('>') - first);
}

bool StableHloWriter::is_float_leaf(NodeIndex leaf) const {
  const std::string literal = leaf_literal(leaf);
  double value = 0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  return error == std::errc() && end == literal.data() + literal.size() &&
         (elements_.working.name != "f64" || static_cast<double>(static_cast<float>(value)) == value);
}

void StableHloWriter::source_is_an_argument() const {
  throw InternalError("a parameter or an input is an argument of the module and has no line");
}

}  // namespace topos
