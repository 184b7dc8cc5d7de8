// Any operation by its reference loop: what a step falls back to, and the one that allocates.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plan/engine/lowering_list.hpp"
#include "topos/ops/rules.hpp"

namespace topos::engine {
namespace {

template <class F>
class ReferenceStep : public Step<F> {
 public:
  struct Operand {
    BufferIndex buffer;
    Extent offset;
    Shape shape;
  };
  ReferenceStep(const Node& node, std::vector<Operand> operands, BufferIndex output)
      : operation_(node.operation), shape_(node.shape), operands_(std::move(operands)), output_(output) {}

  void run(const Memory<F>& memory) const override {
    std::vector<Tensor<F>> tensors;
    for (const Operand& operand : operands_) {
      const F* first = memory.at(operand.buffer, operand.offset);
      tensors.emplace_back(operand.shape, std::vector<F>(first, first + operand.shape.volume()));
    }
    const Tensor<F> result = evaluate<F>(operation_, tensors, shape_);
    const Elements<F> elements = result.elements();
    std::copy(elements.begin(), elements.end(), memory.buffers[output_]);
  }
  bool may_throw() const override { return true; }
  std::string describe() const override {
    return fmt::format("reference {}: -> b{}", operation_.name(), output_);
  }

 private:
  Operation operation_;
  Shape shape_;
  std::vector<Operand> operands_;
  BufferIndex output_;
};

}  // namespace

template <class F>
void lower_by_reference(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  std::vector<typename ReferenceStep<F>::Operand> operands;
  std::vector<BufferIndex> reads;
  for (const NodeIndex operand : node.operand_indices()) {
    const auto value = compiler.row_major(operand);
    operands.push_back({value.buffer, value.layout.offset(), compiler.node(operand).shape});
    reads.push_back(value.buffer);
  }
  const BufferIndex output = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.append(std::make_unique<ReferenceStep<F>>(node, std::move(operands), output), std::move(reads),
                  {output});
}

template void lower_by_reference(Compiler<float>&, NodeIndex);
template void lower_by_reference(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
