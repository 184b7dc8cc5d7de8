// Operations along the lines of one axis: the sum, and the softmax family.
#include <fmt/format.h>

#include "kernels/reduce/block_sums.hpp"
#include "plan/engine/lines.hpp"
#include "plan/engine/lowering/append_elementwise.hpp"
#include "plan/engine/lowering_list.hpp"
#include "topos/ops/log_softmax.hpp"
#include "topos/ops/logsumexp.hpp"
#include "topos/ops/sum_along.hpp"

namespace topos::engine {
namespace {

using kernels::partial_sums;

template <class F>
using LineKernel = void (*)(const F*, const kernels::Lines&, F*, ThreadPool&);

template <class F>
class LineStep : public Step<F> {
 public:
  LineStep(std::string_view name, LineKernel<F> kernel, const LineView& view, BufferIndex to)
      : name_(name), kernel_(kernel), from_(view.buffer), offset_(view.offset), lines_(view.lines), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernel_(memory.at(from_, offset_), lines_, memory.buffers[to_], *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("{} [{}, {}, {}]: b{} -> b{}", name_, lines_.outer, lines_.extent, lines_.inner, from_,
                       to_);
  }

 private:
  std::string_view name_;
  LineKernel<F> kernel_;
  BufferIndex from_;
  Extent offset_;
  kernels::Lines lines_;
  BufferIndex to_;
};

template <class F>
class PiecesStep : public Step<F> {
 public:
  PiecesStep(BufferIndex from, const SummedLines& lines, BufferIndex to)
      : from_(from), lines_(lines), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::sum_pieces(memory.at(from_, 0), lines_, memory.buffers[to_], *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("{}: b{} -> b{}", engine::describe(lines_), from_, to_);
  }

 private:
  BufferIndex from_;
  SummedLines lines_;
  BufferIndex to_;
};

/// A sum along an axis that another lies between: [batch, height, width] of images [batch, channels, height,
/// width].
template <class F>
bool sum_pieces(Compiler<F>& compiler, NodeIndex index, const AxisLines& along) {
  if (along.lines.are_runs() || along.lines.inner % partial_sums != 0) return false;
  const BufferIndex from = compiler.value(compiler.node(index).operands[0]).buffer;
  const BufferIndex to =
      compiler.define_output(index, Layout::dense_in_order(compiler.node(index).shape, along.rest));
  compiler.never_negative_zero(to);
  compiler.append(std::make_unique<PiecesStep<F>>(from, along.lines, to), {from}, {to});
  return true;
}

template <class F>
struct Line {
  std::string_view name;
  Axis axis;
  LineKernel<F> kernel;
  bool keeps_axis;
};

template <class F>
Line<F> line_of(const Operation& operation) {
  if (const auto* sum = operation.get_if<SumAlong>())
    return {"sum along", sum->axis, &kernels::sum_lines<F>, false};
  if (const auto* softmax = operation.get_if<LogSoftmax>())
    return {"log_softmax", softmax->axis, &kernels::log_softmax<F>, true};
  return {"logsumexp", operation.get<LogSumExp>().axis, &kernels::log_sum_exp<F>, false};
}

/// A sum of at most 16 elements a line, of a value that would have to be copied first: additions of the
/// lanes, in the order in which the contract folds its partial sums. These are +0 + x: what that changes is
/// a sum of -0 alone, so that one +0 at the end does as well.
template <class F>
void lower_few_lanes(Compiler<F>& compiler, NodeIndex index, Axis axis) {
  const Node& node = compiler.node(index);
  const auto value = compiler.value(node.operands[0]);
  using Value = typename Compiler<F>::Value;
  const auto add = [&](const Value& left, const Value& right, std::optional<F> known = std::nullopt) {
    const ElementwiseSource<F> operands[] = {{left, std::nullopt}, {right, known}};
    return append_elementwise<F>(compiler, node.shape, kernels::BinaryMap::add, "Add", operands, index);
  };
  std::vector<Value> lanes;
  for (Extent lane = 0; lane < compiler.node(node.operands[0]).shape[axis]; ++lane) {
    const std::optional<Layout> narrowed = value.layout.narrowed(axis, lane, 1);
    lanes.push_back({*narrowed->reshaped(node.shape), value.buffer});
  }
  for (std::size_t half = partial_sums / 2; half > 0; half /= 2) {
    for (std::size_t lane = half; lane < lanes.size(); ++lane)
      lanes[lane - half] = add(lanes[lane - half], lanes[lane]);
    lanes.resize(std::min(lanes.size(), half));
  }
  const Value total = add(lanes[0], lanes[0], F{0});
  compiler.define_view(index, total.layout, total.buffer);
  compiler.never_negative_zero(total.buffer);
}

/// Whether no kernel can go along the lines where they lie, and they are that short.
template <class F>
bool is_few_lanes(const Compiler<F>& compiler, NodeIndex operand, Axis axis) {
  const Layout& layout = compiler.value(operand).layout;
  const Extent extent = compiler.node(operand).shape[axis];
  if (extent == 0 || extent > partial_sums || layout.is_uniform()) return false;
  const std::optional<std::vector<Axis>> order = layout.memory_order();
  return !order || !layout.is_dense_in(*order) || !layout.merged(axis);
}

}  // namespace

template <class F>
void lower_line(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  if (const auto* sum = node.operation.get_if<SumAlong>()) {
    if (lower_selected_sums(compiler, index)) return;
    if (const std::optional<AxisLines> along =
            summed_lines(compiler.value(node.operands[0]).layout, sum->axis);
        along &&
        (append_sum(compiler, index, along->lines, Layout::dense_in_order(node.shape, along->rest)) ||
         sum_pieces(compiler, index, *along)))
      return;
    if (is_few_lanes(compiler, node.operands[0], sum->axis))
      return lower_few_lanes(compiler, index, sum->axis);
  }
  const Line<F> line = line_of<F>(node.operation);
  const LineView view = lines_along(compiler, node.operands[0], line.axis);
  const std::vector<Axis> order = line.keeps_axis ? view.order : without_axis(view.order, line.axis);
  const BufferIndex output = compiler.define_output(index, Layout::dense_in_order(node.shape, order));
  if (node.operation.is<SumAlong>()) compiler.never_negative_zero(output);
  compiler.append(std::make_unique<LineStep<F>>(line.name, line.kernel, view, output), {view.buffer},
                  {output});
}

template void lower_line(Compiler<float>&, NodeIndex);
template void lower_line(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
