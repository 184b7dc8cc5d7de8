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

}  // namespace

template <class F>
void lower_fold(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const Fold& fold = node.operation.get<Fold>();
  const NodeIndex operand = node.operands[0];
  const Shape& from = compiler.node(operand).shape;
  auto value = compiler.value(operand);
  // contiguous with the two window axes side by side, or copied to row-major order, where they are
  std::optional<std::vector<Axis>> order = value.layout.memory_order();
  const auto pair =
      order ? std::find(order->begin(), order->end(), fold.axis) : std::vector<Axis>::iterator();
  if (!order || !value.layout.is_dense_in(*order) || pair + 1 == order->end() ||
      *(pair + 1) != fold.axis + 1 || !value.layout.merged(fold.axis) ||
      !value.layout.merged(fold.axis + 1)) {
    value = compiler.row_major(operand);
    order = identity_order(from.rank());
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
  compiler.append(std::make_unique<FoldStep<F>>(value.buffer, value.layout.offset(), shape, output),
                  {value.buffer}, {output});
}

template void lower_fold(Compiler<float>&, NodeIndex);
template void lower_fold(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
