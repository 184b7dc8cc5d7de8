// The matrix product over any layouts: a transposed operand or the patches of an image are read where they
// lie.
#include <fmt/format.h>

#include "plan/engine/axis_offsets.hpp"
#include "plan/engine/lowering_list.hpp"

namespace topos::engine {
namespace {

template <class F>
class MatMulStep : public Step<F> {
 public:
  MatMulStep(Operand a, Operand b, BufferIndex c, const kernels::GemmProblem& problem, OffsetTables tables)
      : a_(a), b_(b), c_(c), problem_(problem), tables_(std::move(tables)), gemm_(problem) {}
  void run(const Memory<F>& memory) const override {
    kernels::GemmAddend<F> addend;
    if (addend_) addend = {addend_->at(memory), addend_stride_};
    gemm_.run(a_.at(memory), b_.at(memory), memory.buffers[c_], memory.scratch, *memory.pool, addend);
  }
  bool take_addend(const Operand& rows, Extent stride) override {
    if (addend_) return false;
    addend_ = rows;
    addend_stride_ = stride;
    return true;
  }
  std::size_t scratch_bytes(std::size_t threads) const override { return gemm_.scratch_bytes(threads); }
  std::string describe() const override {
    return fmt::format("{}: {} x [{}, {}] [{}, {}], b{} b{}{} -> b{}", gemm_.name(), problem_.products,
                       problem_.rows, problem_.depth, problem_.depth, problem_.columns, a_.buffer, b_.buffer,
                       addend_ ? fmt::format(" + b{}", addend_->buffer) : "", c_);
  }

 private:
  Operand a_, b_;
  BufferIndex c_;
  kernels::GemmProblem problem_;
  OffsetTables tables_;
  kernels::Gemm<F> gemm_;
  std::optional<Operand> addend_;
  Extent addend_stride_ = 0;
};

}  // namespace

template <class F>
void lower_matmul(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const auto a = compiler.value(node.operands[0]);
  const auto b = compiler.value(node.operands[1]);
  const Axis rank = node.shape.rank();
  const std::vector<Axis> batch = identity_order(rank - 2);
  OffsetTables tables;
  const auto along = [&](const Layout& layout, std::span<const Axis> axes) {
    return tables.along(layout.flattened(axes));
  };
  const std::vector<Axis> row{rank - 2};
  const std::vector<Axis> column{rank - 1};
  kernels::GemmProblem problem;
  problem.rows = node.shape[rank - 2];
  problem.columns = node.shape[rank - 1];
  problem.depth = compiler.node(node.operands[0]).shape[rank - 1];
  problem.products = node.shape.volume() / (problem.rows * problem.columns);
  problem.a_products = along(a.layout, batch);
  problem.a_rows = along(a.layout, row);
  problem.a_depth = along(a.layout, column);
  problem.b_products = along(b.layout, batch);
  problem.b_depth = along(b.layout, row);
  problem.b_columns = along(b.layout, column);
  problem.c_product_stride = problem.rows * problem.columns;
  problem.c_row_stride = problem.columns;
  const BufferIndex c = compiler.define_output(index, Layout::row_major(node.shape));
  compiler.append(
      std::make_unique<MatMulStep<F>>(Operand{a.buffer, a.layout.offset()},
                                      Operand{b.buffer, b.layout.offset()}, c, problem, std::move(tables)),
      {a.buffer, b.buffer}, {c});
}

template void lower_matmul(Compiler<float>&, NodeIndex);
template void lower_matmul(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
