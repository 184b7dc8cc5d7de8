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

template <class F>
bool is_member(const ElementwiseStep<F>& group, const ElementwiseSource<F>& source) {
  return group.has_member(source.value.buffer) &&
         (group.shape().volume() == 1 || source.value.layout == group.member_layout());
}

// Whether the group, which runs where it stands, can compute this node too: its operands are members, or
// there before the group runs.
template <class F>
bool can_join(const Compiler<F>& compiler, const ElementwiseStep<F>& group, StepIndex at, const Shape& shape,
              std::span<const ElementwiseSource<F>> operands) {
  if (group.is_full() || group.shape() != shape) return false;
  for (const ElementwiseSource<F>& operand : operands) {
    if (operand.known || is_member(group, operand)) continue;
    const std::optional<StepIndex> available = compiler.available(operand.value.buffer);
    if (available && *available >= at) return false;
  }
  return true;
}

template <class F>
std::optional<StepIndex> find_group(Compiler<F>& compiler, const Shape& shape,
                                    std::span<const ElementwiseSource<F>> operands) {
  if (!compiler.options().fuse) return std::nullopt;
  std::optional<StepIndex> best;
  const auto consider = [&](std::optional<StepIndex> at) {
    const ElementwiseStep<F>* group = at ? compiler.group_at(*at) : nullptr;
    if (group && can_join(compiler, *group, *at, shape, operands) && (!best || *at > *best)) best = at;
  };
  for (const ElementwiseSource<F>& operand : operands) {
    if (!operand.known) consider(compiler.available(operand.value.buffer));
  }
  if (compiler.next_step() > 0) {  // what makes sums is left to those that read its members
    const ElementwiseStep<F>* last = compiler.group_at(compiler.next_step() - 1);
    if (last && !last->has_sums()) consider(compiler.next_step() - 1);
  }
  return best;
}

// The axes as the first operand that is dense has them in memory, else one that has runs of neighbours.
template <class F>
std::vector<Axis> walking_order(const Shape& shape, std::span<const ElementwiseSource<F>> operands) {
  std::optional<std::vector<Axis>> order;
  for (const ElementwiseSource<F>& operand : operands) {
    if (operand.known) continue;
    const auto& layout = operand.value.layout;
    std::optional<std::vector<Axis>> found = layout.memory_order();
    if (!found || layout.is_uniform()) continue;
    if (layout.is_dense_in(*found)) return *found;
    const std::optional<StridedAxis> last = shape.rank() > 0 ? layout.merged(found->back()) : std::nullopt;
    if (!order && last && last->stride == 1) order = std::move(found);
  }
  return order ? *order : identity_order(shape.rank());
}

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

template <class F>
void add_reads(Compiler<F>& compiler, StepIndex at, BufferIndex buffer, bool takes_selection) {
  if (takes_selection) {
    compiler.add_reads_of_selection(at, buffer);
  } else {
    compiler.add_reads(at, buffer);
  }
}

// What an earlier group computes, computed again by this one, where that is cheap.
template <class F>
std::optional<typename ElementwiseStep<F>::Operand> repeat_member(Compiler<F>& compiler,
                                                                  ElementwiseStep<F>& group, StepIndex at,
                                                                  const typename Compiler<F>::Value& value) {
  const std::optional<StepIndex> written = compiler.available(value.buffer);
  const ElementwiseStep<F>* const earlier = written ? compiler.group_at(*written) : nullptr;
  constexpr Extent worth_it = 1 << 14;  // elements: less stays in the cache
  if (!earlier || earlier == &group || !earlier->has_member(value.buffer) ||
      value.layout != earlier->member_layout() || earlier->shape().volume() < worth_it)
    return std::nullopt;
  return earlier->repeat_in(
      group, value.buffer,
      [&](BufferIndex buffer, bool takes_selection) { add_reads(compiler, at, buffer, takes_selection); },
      [&](NodeIndex node) {
        const BufferIndex copy = compiler.new_buffer(node, group.shape().volume());
        compiler.add_write(at, copy);
        return copy;
      });
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

template <class F>
typename Compiler<F>::Value append_elementwise(Compiler<F>& compiler, const Shape& shape,
                                               MapFunction function, std::string_view name,
                                               std::span<const ElementwiseSource<F>> operands,
                                               NodeIndex index) {
  std::optional<StepIndex> at = find_group(compiler, shape, operands);
  if (!at) {
    std::vector<Axis> order = walking_order(shape, operands);
    auto group = std::make_unique<ElementwiseStep<F>>(shape, std::move(order));
    ElementwiseStep<F>* const raw = group.get();
    at = compiler.append(std::move(group), {}, {});
    compiler.add_group(*at, raw);
  }
  ElementwiseStep<F>& group = *compiler.group_at(*at);
  std::vector<typename ElementwiseStep<F>::Operand> sources;
  for (const ElementwiseSource<F>& operand : operands) {
    if (operand.known) {
      sources.push_back(group.constant(*operand.known));
    } else if (is_member(group, operand)) {
      sources.push_back(group.member(operand.value.buffer));
    } else if (const auto copy = repeat_member(compiler, group, *at, operand.value)) {
      sources.push_back(*copy);
    } else {
      const BufferIndex read = operand.value.buffer;
      sources.push_back(group.load(operand.value.layout, read, compiler.selection_classes(read)));
      add_reads(compiler, *at, read, group.takes_selection(sources.back()));
    }
  }
  const BufferIndex buffer = compiler.new_buffer(index, shape.volume());
  compiler.add_write(*at, buffer);
  group.append(function, name, sources, index, buffer);
  return {group.member_layout(), buffer};
}

template <class F>
bool append_sum(Compiler<F>& compiler, NodeIndex index, Extent extent) {
  const auto& value = compiler.value(compiler.node(index).operands[0]);
  const std::optional<StepIndex> at = compiler.available(value.buffer);
  ElementwiseStep<F>* const group = at && compiler.options().fuse ? compiler.group_at(*at) : nullptr;
  if (!group || !group->has_member(value.buffer) || !group->can_sum(extent) || !value.layout.is_row_major() ||
      group->shape().volume() != compiler.node(compiler.node(index).operands[0]).shape.volume())
    return false;
  const BufferIndex member = value.buffer;
  const BufferIndex output = compiler.define_output(index, Layout::row_major(compiler.node(index).shape));
  compiler.never_negative_zero(output);
  compiler.add_write(*at, output);
  group->append_sum(member, extent, index, output);
  return true;
}

template bool append_sum(Compiler<float>&, NodeIndex, Extent);
template bool append_sum(Compiler<double>&, NodeIndex, Extent);
template Compiler<float>::Value append_elementwise(Compiler<float>&, const Shape&, MapFunction,
                                                   std::string_view,
                                                   std::span<const ElementwiseSource<float>>, NodeIndex);
template Compiler<double>::Value append_elementwise(Compiler<double>&, const Shape&, MapFunction,
                                                    std::string_view,
                                                    std::span<const ElementwiseSource<double>>, NodeIndex);
template void lower_elementwise(Compiler<float>&, NodeIndex);
template void lower_elementwise(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
