// The row sums of a selection times a number, which gradients of a mean of selected elements take: the
// number.
#include <fmt/format.h>

#include <cmath>

#include "kernels/for_ranges.hpp"
#include "kernels/map.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "plan/engine/lowering_list.hpp"
#include "plan/engine/selected_elements.hpp"
#include "topos/ops/sum_along.hpp"

namespace topos {
struct Multiply;
}

namespace topos::engine {
namespace {

using kernels::sum_block;

template <class F>
class SelectedSumsStep : public Step<F> {
 public:
  SelectedSumsStep(Operand factor, BufferIndex matrix, Extent rows, Extent classes, BufferIndex to)
      : factor_(factor), matrix_(matrix), rows_(rows), classes_(classes), to_(to) {}

  void run(const Memory<F>& memory) const override {
    const std::span<const std::int64_t> indices = memory.indices[matrix_];
    const F factor = *factor_.at(memory);
    F* const out = memory.buffers[to_];
    if (!indices.empty() && std::isfinite(factor)) {  // the other products are zeros
      std::fill_n(out, rows_, F{0} + factor);
      return;
    }
    kernels::for_ranges(*memory.pool, rows_, classes_, [&](Extent first, Extent last) {
      alignas(64) F products[sum_block], factors[sum_block];
      std::fill_n(factors, classes_, factor);
      for (Extent row = first; row < last; ++row) {
        const F* const x = selected_elements(memory, matrix_, classes_, row * classes_, classes_, products);
        kernels::map(kernels::BinaryMap::multiply, factors, x, products, static_cast<std::size_t>(classes_));
        kernels::sum_kernels<F>().rows(products, 1, classes_, classes_, out + row);
      }
    });
  }
  std::string describe() const override {
    return fmt::format("sums of {} of b{} * b{} (may be a selection) -> b{}", classes_, factor_.buffer,
                       matrix_, to_);
  }

 private:
  Operand factor_;
  BufferIndex matrix_;
  Extent rows_, classes_;
  BufferIndex to_;
};

}  // namespace

template <class F>
bool lower_selected_sums(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const auto& operand = compiler.value(node.operands[0]);
  const Node& product = compiler.node(compiler.buffer(operand.buffer).node);  // x + 0, for one, is x
  const Shape& shape = compiler.node(node.operands[0]).shape;
  if (!compiler.options().fuse || !product.operation.is<Multiply>() || product.precision == Precision::bf16 ||
      product.shape != shape || operand.layout.offset() != 0 || !operand.layout.is_row_major() ||
      node.operation.get<SumAlong>().axis + 1 != shape.rank() || shape[shape.rank() - 1] > sum_block)
    return false;
  for (const std::size_t side : {0, 1}) {
    const auto factor = compiler.value(product.operands[side]);
    const auto matrix = compiler.value(product.operands[1 - side]);
    const Extent classes = shape[shape.rank() - 1];
    if (!factor.layout.is_uniform() || matrix.layout.offset() != 0 || !matrix.layout.is_row_major() ||
        compiler.buffer(matrix.buffer).volume != shape.volume() ||
        compiler.selection_classes(matrix.buffer) != classes)
      continue;
    const BufferIndex to = compiler.define_output(index, Layout::row_major(node.shape));
    compiler.never_negative_zero(to);
    const StepIndex at = compiler.append(
        std::make_unique<SelectedSumsStep<F>>(Operand{factor.buffer, factor.layout.offset()}, matrix.buffer,
                                              shape.volume() / classes, classes, to),
        {factor.buffer}, {to});
    compiler.add_reads(at, matrix.buffer, true);
    return true;
  }
  return false;
}

template bool lower_selected_sums(Compiler<float>&, NodeIndex);
template bool lower_selected_sums(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
