// The sum of all elements.
#include <fmt/format.h>

#include "plan/engine/lowering_list.hpp"

namespace topos::engine {
namespace {

template <class F>
class SumStep : public Step<F> {
 public:
  SumStep(BufferIndex from, Extent offset, Extent volume, BufferIndex to)
      : from_(from), offset_(offset), volume_(volume), to_(to) {}
  void run(const Memory<F>& memory) const override {
    *memory.buffers[to_] = kernels::sum(memory.at(from_, offset_), volume_, *memory.pool);
  }
  std::string describe() const override { return fmt::format("sum of {}: b{} -> b{}", volume_, from_, to_); }

 private:
  BufferIndex from_;
  Extent offset_;
  Extent volume_;
  BufferIndex to_;
};

}  // namespace

template <class F>
void lower_sum(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const NodeIndex operand = node.operands[0];
  if (compiler.node(operand).shape.rank() == 0) {  // nothing is added, not even to zero
    const auto value = compiler.value(operand);
    return compiler.define_view(index, value.layout, value.buffer);
  }
  const auto value = compiler.row_major(operand);
  const BufferIndex output = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.never_negative_zero(output);
  compiler.append(std::make_unique<SumStep<F>>(value.buffer, value.layout.offset(),
                                               compiler.node(operand).shape.volume(), output),
                  {value.buffer}, {output});
}

template void lower_sum(Compiler<float>&, NodeIndex);
template void lower_sum(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
