// Operations along the lines of one axis: the sum, and the softmax family.
#include <fmt/format.h>

#include "plan/engine/lines.hpp"
#include "plan/engine/lowering_list.hpp"
#include "topos/ops/log_softmax.hpp"
#include "topos/ops/logsumexp.hpp"
#include "topos/ops/sum_along.hpp"

namespace topos::engine {
namespace {

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

}  // namespace

template <class F>
void lower_line(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
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
