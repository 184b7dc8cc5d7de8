// The adjoint of unfold.
#include <fmt/format.h>

#include <algorithm>

#include "plan/engine/lowering_list.hpp"
#include "topos/ops/fold.hpp"

namespace topos::engine {
namespace {

template <class F>
class FoldStep : public Step<F> {
 public:
  FoldStep(BufferIndex from, Extent offset, const kernels::FoldShape& shape, BufferIndex to)
      : from_(from), offset_(offset), shape_(shape), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::fold(memory.at(from_, offset_), shape_, memory.buffers[to_], *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("fold [{}, {} x {}, {}] to {}: b{} -> b{}", shape_.outer, shape_.windows, shape_.size,
                       shape_.inner, shape_.extent, from_, to_);
  }

 private:
  BufferIndex from_;
  Extent offset_;
  kernels::FoldShape shape_;
  BufferIndex to_;
};

bool are_adjacent(const std::vector<Axis>& order, Axis axis) {
  const auto at = std::find(order.begin(), order.end(), axis);
  return at + 1 != order.end() && *(at + 1) == axis + 1;
}

// Row-major, but for the axis that lies closest in memory, which goes innermost when whole vectors fit in it:
// the fold then adds vectors, and what follows finds the order that a convolution's product has.
std::vector<Axis> copied_order(const Layout& layout, const Shape& shape, Axis axis) {
  constexpr Extent vector = 8;
  std::vector<Axis> order = identity_order(shape.rank());
  std::optional<Axis> closest;
  Extent smallest = 0;
  for (const Axis a : order) {
    const std::optional<StridedAxis> merged = layout.merged(a);
    if (a == axis || a == axis + 1 || !merged || merged->extent < vector || merged->stride == 0) continue;
    if (closest && merged->stride >= smallest) continue;
    closest = a;
    smallest = merged->stride;
  }
  if (closest) {
    std::erase(order, *closest);
    order.push_back(*closest);
  }
  return order;
}

}  // namespace

template <class F>
void lower_fold(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const Fold& fold = node.operation.get<Fold>();
  const NodeIndex operand = node.operands[0];
  const Shape& from = compiler.node(operand).shape;
  auto value = compiler.value(operand);
  const bool touches = fold.dilation == 1 && fold.step == from[fold.axis + 1] &&
                       node.shape[fold.axis] == from[fold.axis] * from[fold.axis + 1];
  if (touches && !compiler.adding_zero_shows(operand, index)) {  // each sum is +0 + x
    if (std::optional<Layout> layout = value.layout.reshaped(node.shape))
      return compiler.define_view(index, std::move(*layout), value.buffer);
  }
  // contiguous with the two window axes side by side, or copied so
  std::optional<std::vector<Axis>> order = value.layout.memory_order();
  if (!order || !value.layout.is_dense_in(*order) || !are_adjacent(*order, fold.axis)) {
    order = copied_order(value.layout, from, fold.axis);
    value = compiler.dense_in(operand, *order);
  }
  kernels::FoldShape shape;
  shape.windows = from[fold.axis];
  shape.size = from[fold.axis + 1];
  shape.extent = node.shape[fold.axis];
  shape.step = fold.step;
  shape.dilation = fold.dilation;
  std::vector<Axis> rest;
  bool before = true;
  for (const Axis a : *order) {
    if (a == fold.axis + 1) continue;
    rest.push_back(a > fold.axis ? a - 1 : a);
    if (a == fold.axis) {
      before = false;
    } else {
      (before ? shape.outer : shape.inner) *= from[a];
    }
  }
  const BufferIndex output = compiler.define_output(index, Layout::dense_in_order(node.shape, rest));
  compiler.never_negative_zero(output);
  compiler.append(std::make_unique<FoldStep<F>>(value.buffer, value.layout.offset(), shape, output),
                  {value.buffer}, {output});
}

template void lower_fold(Compiler<float>&, NodeIndex);
template void lower_fold(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
