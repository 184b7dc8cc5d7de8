// Operations that only move elements: another layout of the same buffer, where there is one. And Convert,
// which leaves them as they are; what a narrower one rounds is rounded after it (rounding.cpp).
#include "plan/engine/lowering_list.hpp"
#include "topos/ops/broadcast.hpp"
#include "topos/ops/broadcast_along.hpp"
#include "topos/ops/convert.hpp"
#include "topos/ops/narrow.hpp"
#include "topos/ops/permute.hpp"
#include "topos/ops/reshape.hpp"
#include "topos/ops/unfold.hpp"

namespace topos::engine {
namespace {

std::optional<Layout> viewed(const Operation& operation, const Layout& layout) {
  if (const auto* permute = operation.get_if<Permute>()) return layout.permuted(permute->order);
  if (const auto* broadcast = operation.get_if<Broadcast>()) return layout.repeated_to(broadcast->shape);
  if (const auto* along = operation.get_if<BroadcastAlong>())
    return layout.with_broadcast_axis(along->axis, along->extent);
  if (const auto* narrow = operation.get_if<Narrow>())
    return layout.narrowed(narrow->axis, narrow->start, narrow->length);
  if (const auto* unfold = operation.get_if<Unfold>())
    return layout.unfolded(unfold->axis, unfold->size, unfold->step, unfold->dilation);
  return layout.reshaped(operation.get<Reshape>().shape);
}

}  // namespace

template <class F>
void lower_view(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const NodeIndex operand = node.operands[0];
  const auto value = compiler.value(operand);
  if (node.operation.is<Convert>()) return compiler.define_view(index, value.layout, value.buffer);
  if (std::optional<Layout> layout = viewed(node.operation, value.layout))
    return compiler.define_view(index, std::move(*layout), value.buffer);
  const auto copy = compiler.row_major(operand);  // a layout of any row-major buffer exists
  compiler.define_view(index, *viewed(node.operation, copy.layout), copy.buffer);
}

template void lower_view(Compiler<float>&, NodeIndex);
template void lower_view(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
