// Elementwise operations, in groups that run tile by tile.
#include <algorithm>

#include "plan/engine/lowering/append_elementwise.hpp"
#include "plan/engine/lowering_list.hpp"
#include "plan/engine/opcode_table.hpp"

namespace topos {
struct Add;
struct Cos;
struct Divide;
struct Erf;
struct ErfDerivative;
struct Exp;
struct Expm1;
struct Log;
struct Log1p;
struct Maximum;
struct Multiply;
struct Negate;
struct Power;
struct Sin;
struct Sqrt;
struct Step;
struct Subtract;
struct Tanh;
}  // namespace topos

namespace topos::engine {

using kernels::BinaryMap;
using kernels::UnaryMap;

std::optional<MapFunction> map_function(const Operation& operation) {
  static const OpcodeTable<std::optional<MapFunction>> table = [] {
    OpcodeTable<std::optional<MapFunction>> functions;
    functions.set<Add>(BinaryMap::add);
    functions.set<Subtract>(BinaryMap::subtract);
    functions.set<Multiply>(BinaryMap::multiply);
    functions.set<Divide>(BinaryMap::divide);
    functions.set<Maximum>(BinaryMap::maximum);
    functions.set<topos::Step>(BinaryMap::step);
    functions.set<Power>(BinaryMap::power);
    functions.set<Negate>(UnaryMap::negate);
    functions.set<Exp>(UnaryMap::exp);
    functions.set<Log>(UnaryMap::log);
    functions.set<Sqrt>(UnaryMap::sqrt);
    functions.set<Tanh>(UnaryMap::tanh);
    functions.set<Sin>(UnaryMap::sin);
    functions.set<Cos>(UnaryMap::cos);
    functions.set<Log1p>(UnaryMap::log1p);
    functions.set<Expm1>(UnaryMap::expm1);
    functions.set<Erf>(UnaryMap::erf);
    functions.set<ErfDerivative>(UnaryMap::erf_derivative);
    return functions;
  }();
  return table[operation];
}

namespace {

// The operand that may stand for the result, if one may: x + 0 where that shows in no result, x + -0, x - 0,
// x * 1, x / 1.
template <class F>
std::optional<NodeIndex> equal_operand(const Compiler<F>& compiler, NodeIndex index, MapFunction function) {
  const Node& node = compiler.node(index);
  const auto* binary = std::get_if<BinaryMap>(&function);
  if (!binary) return std::nullopt;
  const auto is = [&](NodeIndex operand, F value) {
    const std::optional<F> known = compiler.known_uniform(operand);
    return known && bits_of(*known) == bits_of(value);
  };
  const auto neutral = [&](NodeIndex kept, NodeIndex other, bool commutes) {
    switch (*binary) {
      case BinaryMap::add:
        return is(other, F{-0.0}) || (is(other, F{0}) && !compiler.adding_zero_shows(kept, index));
      case BinaryMap::subtract:
        return !commutes && is(other, F{0});
      case BinaryMap::multiply:
        return is(other, F{1});
      case BinaryMap::divide:
        return !commutes && is(other, F{1});
      default:
        return false;
    }
  };
  if (neutral(node.operands[0], node.operands[1], false)) return node.operands[0];
  if (neutral(node.operands[1], node.operands[0], true)) return node.operands[1];
  return std::nullopt;
}

// Whether the result is never -0: a sum is -0 only if both of its terms are, a difference only if the first
// is, a square and an exponential never.
template <class F>
bool never_negative_zero(MapFunction function, std::span<const ElementwiseSource<F>> operands,
                         const Compiler<F>& compiler) {
  const auto never = [&](const ElementwiseSource<F>& operand) {
    return operand.known ? bits_of(*operand.known) != bits_of(F{-0.0})
                         : compiler.buffer(operand.value.buffer).never_negative_zero;
  };
  if (const auto* unary = std::get_if<UnaryMap>(&function)) return *unary == UnaryMap::exp;
  switch (std::get<BinaryMap>(function)) {
    case BinaryMap::add:
      return never(operands[0]) || never(operands[1]);
    case BinaryMap::subtract:
      return never(operands[0]);
    case BinaryMap::multiply:
      return operands[0].value.buffer == operands[1].value.buffer &&
             operands[0].value.layout == operands[1].value.layout;
    default:
      return false;
  }
}

// The rows that the value repeats down each of its matrices, and how far one matrix' row lies from the next;
// none where it does not do that.
template <class F>
std::optional<std::pair<Operand, Extent>> repeated_rows(const typename Compiler<F>::Value& value) {
  const Axis rank = value.layout.rank();
  if (rank < 2) return std::nullopt;
  const auto row = value.layout.merged(rank - 2), column = value.layout.merged(rank - 1);
  if (!row || !column || row->stride != 0 || (column->stride != 1 && column->extent > 1)) return std::nullopt;
  const std::vector<StridedAxis> matrices = value.layout.flattened(identity_order(rank - 2));
  if (matrices.size() > 1) return std::nullopt;
  return std::pair(Operand{value.buffer, value.layout.offset()}, matrices.empty() ? 0 : matrices[0].stride);
}

// The sum of a matrix product that nothing else reads and of a row for each matrix: left to the product.
template <class F>
bool add_to_product(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  if (!node.operation.is<Add>() || !compiler.options().fuse) return false;
  for (const std::size_t side : {0, 1}) {
    const NodeIndex product = node.operands[side];
    const auto value = compiler.value(product), other = compiler.value(node.operands[1 - side]);
    const std::optional<StepIndex> at = compiler.available(value.buffer);
    const auto rows = repeated_rows<F>(other);
    if (!at || !rows || compiler.only_reader(product) != index ||
        compiler.buffer(value.buffer).node != product || !value.layout.is_row_major() ||
        compiler.buffer(value.buffer).volume != node.shape.volume())
      continue;
    const std::optional<StepIndex> available = compiler.available(other.buffer);
    if ((available && *available >= *at) || !compiler.step_at(*at).take_addend(rows->first, rows->second))
      continue;
    compiler.add_reads(*at, other.buffer);
    compiler.define_view(index, value.layout, value.buffer);
    return true;
  }
  return false;
}

template <class F>
bool is_same(const ElementwiseSource<F>& a, const ElementwiseSource<F>& b) {
  if (a.known || b.known) return a.known && b.known && bits_of(*a.known) == bits_of(*b.known);
  return a.value.buffer == b.value.buffer && a.value.layout == b.value.layout;
}

template <class F>
std::vector<ElementwiseSource<F>> sources_of(const Compiler<F>& compiler, NodeIndex index) {
  std::vector<ElementwiseSource<F>> sources;
  for (const NodeIndex operand : compiler.node(index).operand_indices())
    sources.push_back({compiler.value(operand), compiler.known_uniform(operand)});
  return sources;
}

// An earlier node that computed the same, as gradients do: the member of the group that would take this one,
// or what costs more to compute than to read.
template <class F>
std::optional<NodeIndex> computed_before(Compiler<F>& compiler, NodeIndex index, MapFunction function,
                                         std::span<const ElementwiseSource<F>> sources) {
  constexpr std::size_t remembered = 8;
  if (!compiler.options().fuse) return std::nullopt;
  const Node& node = compiler.node(index);
  std::vector<NodeIndex>& earlier = compiler.computed(node.operation, sources[0].value.buffer);
  for (const NodeIndex other : earlier) {
    const std::vector<ElementwiseSource<F>> theirs = sources_of(compiler, other);
    if (compiler.node(other).shape != node.shape || compiler.node(other).precision != node.precision ||
        !std::equal(sources.begin(), sources.end(), theirs.begin(), theirs.end(), is_same<F>))
      continue;
    const std::optional<StepIndex> written = compiler.available(compiler.value(other).buffer);
    const auto* unary = std::get_if<UnaryMap>(&function);
    const bool is_costly = unary && *unary != UnaryMap::negate && *unary != UnaryMap::sqrt;
    if (is_costly || (written && find_group(compiler, node.shape, sources) == written)) return other;
  }
  if (earlier.size() == remembered) earlier.erase(earlier.begin());
  earlier.push_back(index);
  return std::nullopt;
}

}  // namespace

template <class F>
void lower_elementwise(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const std::optional<MapFunction> function = map_function(node.operation);
  if (!function) return lower_by_reference(compiler, index);
  if (const std::optional<NodeIndex> same = equal_operand(compiler, index, *function)) {
    const auto value = compiler.value(*same);
    return compiler.define_view(index, value.layout, value.buffer);
  }
  if (add_to_product(compiler, index)) return;
  const std::vector<ElementwiseSource<F>> operands = sources_of(compiler, index);
  if (const std::optional<NodeIndex> same = computed_before<F>(compiler, index, *function, operands)) {
    const auto value = compiler.value(*same);
    return compiler.define_view(index, value.layout, value.buffer);
  }
  const bool uniform = std::all_of(operands.begin(), operands.end(), [](const ElementwiseSource<F>& operand) {
    return operand.value.layout.is_uniform();
  });
  const Shape shape = uniform ? Shape() : node.shape;  // one element is computed once
  auto value = append_elementwise<F>(compiler, shape, *function, node.operation.name(), operands, index);
  if (uniform) value.layout = Layout().repeated_to(node.shape);
  compiler.define_view(index, std::move(value.layout), value.buffer);
  if (never_negative_zero<F>(*function, operands, compiler)) compiler.never_negative_zero(value.buffer);
}

template void lower_elementwise(Compiler<float>&, NodeIndex);
template void lower_elementwise(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
