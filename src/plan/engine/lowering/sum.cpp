// The sum of all elements.
#include <fmt/format.h>

#include <limits>

#include "plan/engine/lowering/append_elementwise.hpp"
#include "plan/engine/lowering_list.hpp"

namespace topos::engine {
namespace {

template <class F>
class SumStep : public Step<F> {
 public:
  SumStep(Operand from, Extent volume, bool takes_selection, BufferIndex to)
      : from_(from), volume_(volume), takes_selection_(takes_selection), to_(to) {}
  void run(const Memory<F>& memory) const override {
    const std::size_t ones = takes_selection_ ? memory.indices[from_.buffer].size() : 0;
    *memory.buffers[to_] =
        ones > 0 ? static_cast<F>(ones) : kernels::sum(from_.at(memory), volume_, *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("sum of {}: b{}{} -> b{}", volume_, from_.buffer,
                       takes_selection_ ? " (may be a selection)" : "", to_);
  }

 private:
  Operand from_;
  Extent volume_;
  bool takes_selection_;
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
  const Extent volume = compiler.node(operand).shape.volume();
  if (compiler.value(operand).layout.is_row_major() &&
      append_sum(compiler, index, SummedLines{.inner = volume}, Layout::row_major(node.shape)))
    return;
  const auto value = compiler.row_major(operand);
  const BufferIndex output = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.never_negative_zero(output);
  const Extent classes = compiler.selection_classes(value.buffer);
  constexpr Extent exact = Extent{1} << std::numeric_limits<F>::digits;  // so many ones are counted exactly
  const bool takes_selection =
      classes > 0 && compiler.buffer(value.buffer).volume == volume && volume / classes <= exact;
  auto step = std::make_unique<SumStep<F>>(Operand{value.buffer, value.layout.offset()}, volume,
                                           takes_selection, output);
  compiler.add_reads(compiler.append(std::move(step), {}, {output}), value.buffer, takes_selection);
}

template void lower_sum(Compiler<float>&, NodeIndex);
template void lower_sum(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
