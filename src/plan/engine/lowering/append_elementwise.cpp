// Which group takes a member, and what it reads there.
#include "plan/engine/lowering/append_elementwise.hpp"

#include <algorithm>

namespace topos::engine {
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
      [&](BufferIndex buffer, bool takes_selection) { compiler.add_reads(at, buffer, takes_selection); },
      [&](NodeIndex node) {
        const BufferIndex copy = compiler.new_buffer(node, group.shape().volume());
        compiler.add_write(at, copy);
        return copy;
      });
}

}  // namespace

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
      compiler.add_reads(*at, read, group.takes_selection(sources.back()));
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
template std::optional<StepIndex> find_group(Compiler<float>&, const Shape&,
                                             std::span<const ElementwiseSource<float>>);
template std::optional<StepIndex> find_group(Compiler<double>&, const Shape&,
                                             std::span<const ElementwiseSource<double>>);

}  // namespace topos::engine
