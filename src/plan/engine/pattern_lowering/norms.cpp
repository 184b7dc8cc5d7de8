// Normalization by an input's own statistics: of its rows (RowNorm), and of its columns (BatchNormTraining).
#include "kernels/norm.hpp"

#include <fmt/format.h>

#include "plan/engine/pattern_lowering_list.hpp"
#include "topos/plan/patterns/batch_norm_training.hpp"
#include "topos/plan/patterns/layer_norm.hpp"

namespace topos::engine {
namespace {

using kernels::NormScale;
using kernels::NormShape;

template <class F>
class NormStep : public Step<F> {
 public:
  struct Operands {
    Operand input, scale, shift, epsilon;
  };
  struct Outputs {
    BufferIndex output;
    std::optional<BufferIndex> mean, variance;
  };
  NormStep(const NormShape& shape, NormScale scale, const Operands& operands, const Outputs& outputs)
      : shape_(shape), scale_(scale), operands_(operands), outputs_(outputs) {}

  void run(const Memory<F>& memory) const override {
    const auto statistic = [&](const std::optional<BufferIndex>& buffer) {
      return buffer ? memory.buffers[*buffer] : nullptr;
    };
    const kernels::NormOperands<F> operands{operands_.input.at(memory), operands_.scale.at(memory),
                                            operands_.shift.at(memory), *operands_.epsilon.at(memory)};
    kernels::normalize(operands, shape_, scale_, statistic(outputs_.mean), statistic(outputs_.variance),
                       memory.buffers[outputs_.output], reinterpret_cast<F*>(memory.scratch), *memory.pool);
  }
  std::size_t scratch_bytes(std::size_t) const override {
    return kernels::norm_scratch<F>(shape_) * sizeof(F);
  }
  std::string describe() const override {
    return fmt::format("{} [{}, {}, {}]: b{} b{} b{} -> b{}",
                       scale_ == NormScale::of_group ? "batch_norm" : "layer_norm", shape_.outer,
                       shape_.groups, shape_.inner, operands_.input.buffer, operands_.scale.buffer,
                       operands_.shift.buffer, outputs_.output);
  }

 private:
  NormShape shape_;
  NormScale scale_;
  Operands operands_;
  Outputs outputs_;
};

bool supports(const Graph& graph, const Candidate& candidate) {
  return graph[candidate.root].shape.volume() > 0;
}

template <class F>
void append_norm(Compiler<F>& compiler, const NormTail& tail, const NormShape& shape, NormScale scale,
                 const typename Compiler<F>::Value& input, const typename NormStep<F>::Outputs& outputs) {
  const auto row_major = [&](NodeIndex index) {
    const auto value = compiler.row_major(index);
    return Operand{value.buffer, value.layout.offset()};
  };
  const typename NormStep<F>::Operands operands{{input.buffer, input.layout.offset()},
                                                row_major(tail.scale),
                                                row_major(tail.shift),
                                                row_major(tail.epsilon)};
  std::vector<BufferIndex> written{outputs.output};
  for (const auto& statistic : {outputs.mean, outputs.variance}) {
    if (statistic) written.push_back(*statistic);
  }
  compiler.append(std::make_unique<NormStep<F>>(shape, scale, operands, outputs),
                  {input.buffer, operands.scale.buffer, operands.shift.buffer, operands.epsilon.buffer},
                  written);
}

template <class F>
void lower_row_norm(Compiler<F>& compiler, const Candidate& candidate) {
  const NormTail& tail = std::any_cast<const RowNorm&>(candidate.attributes).tail;
  const Shape& shape = compiler.node(candidate.root).shape;
  const auto input = compiler.row_major(tail.input);
  const BufferIndex output = compiler.define_output(candidate.root, Layout::row_major(shape));
  append_norm<F>(compiler, tail, {1, shape[0], shape[1]}, NormScale::of_position, input, {output, {}, {}});
}

// Columns of images [outer, columns, inner] whose rows are their positions, where the kernel takes them as
// they lie.
std::optional<NormShape> images(const Layout& layout) {
  const std::span<const StridedAxis> rows = layout.axis(0);
  const std::optional<StridedAxis> column = layout.merged(1);
  if (rows.size() != 2 || !column) return std::nullopt;
  const NormShape shape{rows[0].extent, column->extent, rows[1].extent};
  const bool is_dense =
      rows[1].stride == 1 && column->stride == shape.inner && rows[0].stride == shape.inner * shape.groups;
  return is_dense && shape.is_supported() ? std::optional(shape) : std::nullopt;
}

template <class F>
void lower_batch_norm_training(Compiler<F>& compiler, const Candidate& candidate) {
  const NormTail& tail = std::any_cast<const BatchNormTraining&>(candidate.attributes).tail;
  const Shape& shape = compiler.node(candidate.root).shape;
  const Shape statistic = compiler.node(tail.mean).shape;
  auto input = compiler.value(tail.input);
  const std::optional<NormShape> found = images(input.layout);
  if (!found) input = compiler.row_major(tail.input);
  compiler.lower(tail.epsilon);  // a constant that the pattern does not count among what it reads
  const NormShape columns = found.value_or(NormShape{shape[0], shape[1], 1});
  const BufferIndex output = compiler.new_buffer(candidate.root, shape.volume());
  compiler.define_view(candidate.root, found ? input.layout.from_first() : Layout::row_major(shape), output);
  const BufferIndex mean = compiler.define_output(tail.mean, Layout::row_major(statistic));
  const BufferIndex variance = compiler.define_output(tail.variance, Layout::row_major(statistic));
  append_norm<F>(compiler, tail, columns, NormScale::of_group, input, {output, mean, variance});
}

}  // namespace

template <class F>
PatternLowering<F> row_norm_lowering() {
  return {supports, lower_row_norm<F>};
}

template <class F>
PatternLowering<F> batch_norm_training_lowering() {
  return {supports, lower_batch_norm_training<F>};
}

template PatternLowering<float> row_norm_lowering();
template PatternLowering<double> row_norm_lowering();
template PatternLowering<float> batch_norm_training_lowering();
template PatternLowering<double> batch_norm_training_lowering();

}  // namespace topos::engine
