// Rows taken and rows added by index.
#include <fmt/format.h>

#include "plan/engine/lowering_list.hpp"

namespace topos::engine {
namespace {

template <class F>
class GatherStep : public Step<F> {
 public:
  GatherStep(BufferIndex table, Extent offset, BufferIndex indices, Extent row, BufferIndex to)
      : table_(table), offset_(offset), indices_(indices), row_(row), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::gather(memory.at(table_, offset_), memory.indices[indices_], row_, memory.buffers[to_],
                    *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("gather rows of {}: b{} at b{} -> b{}", row_, table_, indices_, to_);
  }

 private:
  BufferIndex table_;
  Extent offset_;
  BufferIndex indices_;
  Extent row_;
  BufferIndex to_;
};

template <class F>
class ScatterStep : public Step<F> {
 public:
  ScatterStep(BufferIndex from, Extent offset, BufferIndex indices, Extent rows, Extent row, BufferIndex to)
      : from_(from), offset_(offset), indices_(indices), rows_(rows), row_(row), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::scatter(memory.at(from_, offset_), memory.indices[indices_], rows_, row_, memory.buffers[to_],
                     *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("scatter to {} rows of {}: b{} at b{} -> b{}", rows_, row_, from_, indices_, to_);
  }

 private:
  BufferIndex from_;
  Extent offset_;
  BufferIndex indices_;
  Extent rows_;
  Extent row_;
  BufferIndex to_;
};

}  // namespace

template <class F>
void lower_gather(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const std::optional<BufferIndex> indices = compiler.indices(node.operands[1]);
  if (!indices) return lower_by_reference(compiler, index);
  const auto table = compiler.row_major(node.operands[0]);
  const BufferIndex output = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.append(std::make_unique<GatherStep<F>>(table.buffer, table.layout.offset(), *indices,
                                                  node.shape.volume() / node.shape[0], output),
                  {table.buffer}, {output});
}

template <class F>
void lower_scatter(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const std::optional<BufferIndex> indices = compiler.indices(node.operands[1]);
  if (!indices) return lower_by_reference(compiler, index);
  const auto gradient = compiler.row_major(node.operands[0]);
  const BufferIndex output = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.never_negative_zero(output);
  compiler.append(
      std::make_unique<ScatterStep<F>>(gradient.buffer, gradient.layout.offset(), *indices, node.shape[0],
                                       node.shape.volume() / node.shape[0], output),
      {gradient.buffer}, {output});
}

template void lower_gather(Compiler<float>&, NodeIndex);
template void lower_gather(Compiler<double>&, NodeIndex);
template void lower_scatter(Compiler<float>&, NodeIndex);
template void lower_scatter(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
