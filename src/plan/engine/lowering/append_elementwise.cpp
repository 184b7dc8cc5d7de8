// Which group takes a member, and what it reads there.
#include "plan/engine/lowering/append_elementwise.hpp"

#include <algorithm>

namespace topos::engine {
namespace {

// Whether the source is all that the buffer holds, in the order of the walk.
template <class F>
bool is_walked(const Compiler<F>& compiler, const Walk& walk, const typename Compiler<F>::Value& value) {
  const Extent volume = walk.shape().volume();
  if (compiler.buffer(value.buffer).volume != volume || value.layout.offset() != 0) return false;
  if (volume == 1 || value.layout == walk.layout()) return true;
  const std::optional<WalkedElements> elements = walk.elements(value.layout);
  return elements && elements->is_contiguous();
}

// As the first operand that is dense lies in memory, else one that has runs of neighbours.
template <class F>
Walk walk_of(const Shape& shape, std::span<const ElementwiseSource<F>> operands) {
  const auto all_can = [&](const Walk& walk) {
    return std::all_of(operands.begin(), operands.end(), [&](const ElementwiseSource<F>& operand) {
      return operand.known || walk.elements(operand.value.layout);
    });
  };
  std::optional<std::vector<Axis>> order;
  for (const ElementwiseSource<F>& operand : operands) {
    const Layout& layout = operand.value.layout;
    if (operand.known || layout.is_uniform()) continue;
    std::optional<Walk> walk = Walk::along(layout);
    if (walk && all_can(*walk)) return *std::move(walk);
    std::optional<std::vector<Axis>> found = layout.memory_order();
    if (order || !found) continue;
    const std::optional<StridedAxis> last = layout.merged(found->back());
    if (last && last->stride == 1) order = std::move(found);
  }
  return Walk::in_order(shape, order ? *order : identity_order(shape.rank()));
}

// How the group, which runs where it stands, comes to the elements of this node, if it can compute it too:
// its operands are members, or there before the group runs.
template <class F>
std::shared_ptr<const Walk> walk_to_join(const Compiler<F>& compiler, const ElementwiseStep<F>& group,
                                         StepIndex at, const Shape& shape,
                                         std::span<const ElementwiseSource<F>> operands) {
  if (group.is_full() || group.volume() != shape.volume()) return nullptr;
  std::shared_ptr<const Walk> walk = nullptr;
  const auto along = [&](const Layout& layout) {  // most often as the group walks anyway
    if (layout == group.walk()->layout()) return group.walk();
    const std::optional<Walk> other = Walk::along(layout);
    return other ? std::make_shared<const Walk>(*other) : nullptr;
  };
  for (const ElementwiseSource<F>& operand : operands) {
    if (!walk && !operand.known && group.has_member(operand.value.buffer)) walk = along(operand.value.layout);
  }
  if (!walk) {
    walk = std::make_shared<const Walk>(walk_of(shape, operands));
    if (walk->shape() != group.walk()->shape()) return nullptr;
  }
  for (const ElementwiseSource<F>& operand : operands) {
    if (operand.known) continue;
    const bool is_member = group.has_member(operand.value.buffer);
    if (is_member && is_walked(compiler, *walk, operand.value)) continue;
    const std::optional<StepIndex> available = compiler.available(operand.value.buffer);
    if ((available && *available >= at) || !walk->elements(operand.value.layout)) return nullptr;
  }
  return walk;
}

// What an earlier group computes, computed again by this one, where that is cheap.
template <class F>
std::optional<typename ElementwiseStep<F>::Operand> repeat_member(Compiler<F>& compiler,
                                                                  ElementwiseStep<F>& group, StepIndex at,
                                                                  BufferIndex member) {
  const std::optional<StepIndex> written = compiler.available(member);
  const ElementwiseStep<F>* const earlier = written ? compiler.group_at(*written) : nullptr;
  constexpr Extent worth_it = 1 << 14;  // elements: less stays in the cache
  const Extent volume = group.volume();
  if (!earlier || earlier == &group || !earlier->has_member(member) || volume < worth_it) return std::nullopt;
  return earlier->repeat_in(
      group, member,
      [&](BufferIndex buffer, bool takes_selection) { compiler.add_reads(at, buffer, takes_selection); },
      [&](NodeIndex node) {
        const BufferIndex copy = compiler.new_buffer(node, volume);
        compiler.add_write(at, copy);
        return copy;
      });
}

struct Joined {
  StepIndex at;
  std::shared_ptr<const Walk> walk;
};

template <class F>
std::optional<Joined> joined_group(Compiler<F>& compiler, const Shape& shape,
                                   std::span<const ElementwiseSource<F>> operands) {
  if (!compiler.options().fuse) return std::nullopt;
  std::optional<Joined> best;
  const auto consider = [&](std::optional<StepIndex> at) {
    const ElementwiseStep<F>* group = at && (!best || *at > best->at) ? compiler.group_at(*at) : nullptr;
    if (!group) return;
    if (std::shared_ptr<const Walk> walk = walk_to_join(compiler, *group, *at, shape, operands))
      best = Joined{*at, std::move(walk)};
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

}  // namespace

template <class F>
std::optional<StepIndex> find_group(Compiler<F>& compiler, const Shape& shape,
                                    std::span<const ElementwiseSource<F>> operands) {
  const std::optional<Joined> joined = joined_group(compiler, shape, operands);
  return joined ? std::optional(joined->at) : std::nullopt;
}

template <class F>
typename Compiler<F>::Value append_elementwise(Compiler<F>& compiler, const Shape& shape,
                                               MapFunction function, std::string_view name,
                                               std::span<const ElementwiseSource<F>> operands,
                                               NodeIndex index) {
  std::optional<Joined> joined = joined_group(compiler, shape, operands);
  if (!joined) {
    auto walk = std::make_shared<const Walk>(walk_of(shape, operands));
    auto own = std::make_unique<ElementwiseStep<F>>(walk);
    ElementwiseStep<F>* const raw = own.get();
    joined = Joined{compiler.append(std::move(own), {}, {}), std::move(walk)};
    compiler.add_group(joined->at, raw);
  }
  const StepIndex at = joined->at;
  const Walk& walk = *joined->walk;
  ElementwiseStep<F>& group = *compiler.group_at(at);
  std::vector<typename ElementwiseStep<F>::Operand> sources;
  for (const ElementwiseSource<F>& operand : operands) {
    if (operand.known) {
      sources.push_back(group.constant(*operand.known));
      continue;
    }
    const BufferIndex read = operand.value.buffer;
    if (is_walked(compiler, walk, operand.value)) {
      if (group.has_member(read)) {
        sources.push_back(group.member(read));
        continue;
      }
      if (const auto copy = repeat_member(compiler, group, at, read)) {
        sources.push_back(*copy);
        continue;
      }
    }
    const WalkedElements elements = *walk.elements(operand.value.layout);
    sources.push_back(group.load(elements, read, compiler.selection_classes(read)));
    compiler.add_reads(at, read, group.takes_selection(sources.back()));
  }
  const BufferIndex buffer = compiler.new_buffer(index, shape.volume());
  compiler.add_write(at, buffer);
  group.append(function, name, sources, index, buffer);
  return {walk.layout(), buffer};
}

template <class F>
bool append_sum(Compiler<F>& compiler, NodeIndex index, const SummedLines& lines, const Layout& layout) {
  const BufferIndex member = compiler.value(compiler.node(index).operands[0]).buffer;
  const std::optional<StepIndex> at = compiler.available(member);
  ElementwiseStep<F>* const group = at && compiler.options().fuse ? compiler.group_at(*at) : nullptr;
  if (!group || !group->has_member(member) || !group->can_sum(lines) ||
      group->volume() != lines.outer * lines.count * lines.inner)
    return false;
  const BufferIndex output = compiler.define_output(index, layout);
  compiler.never_negative_zero(output);
  compiler.add_write(*at, output);
  group->append_sum(member, lines, index, output);
  return true;
}

template bool append_sum(Compiler<float>&, NodeIndex, const SummedLines&, const Layout&);
template bool append_sum(Compiler<double>&, NodeIndex, const SummedLines&, const Layout&);
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
