// The normalization of rows, some of them at a time in the cache.
#include "topos/plan/patterns/layer_norm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/for_ranges.hpp"
#include "kernels/map.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "plan/engine/pattern_lowering_list.hpp"

namespace topos::engine {
namespace {

using kernels::BinaryMap;

template <class F>
class LayerNormStep : public Step<F> {
 public:
  static constexpr Extent most_features = 4096;  // a block of the contract's sum

  LayerNormStep(Extent rows, Extent features, Operand input, Operand scale, Operand shift, Operand epsilon,
                BufferIndex output)
      : rows_(rows),
        features_(features),
        input_(input),
        scale_(scale),
        shift_(shift),
        epsilon_(epsilon),
        output_(output) {}

  void run(const Memory<F>& memory) const override {
    constexpr Extent passes = 12;  // over each element, in the cache
    kernels::for_ranges(*memory.pool, rows_, features_ * passes, [&](Extent first, Extent last) {
      alignas(64) F squares[most_features];
      alignas(64) F statistics[4][most_rows];
      const Extent together = std::clamp<Extent>(most_features / features_, 1, most_rows);
      for (Extent row = first; row < last; row += together) {
        normalize(memory, row, std::min(together, last - row), squares, statistics);
      }
    });
  }
  std::string describe() const override {
    return fmt::format("layer_norm of {} rows of {}: b{} b{} b{} -> b{}", rows_, features_, input_.buffer,
                       scale_.buffer, shift_.buffer, output_);
  }

 private:
  static constexpr Extent most_rows = 64;

  void normalize(const Memory<F>& memory, Extent first, Extent rows, F* squares,
                 F (*statistics)[most_rows]) const {
    const F* const x = input_.at(memory) + first * features_;
    F* const out = memory.buffers[output_] + first * features_;
    const auto each = static_cast<std::size_t>(rows);
    const auto all = static_cast<std::size_t>(rows * features_);
    F* const mean = statistics[0];
    F* const deviation = statistics[1];
    F* const count = statistics[2];
    F* const epsilon = statistics[3];
    std::fill_n(count, rows, static_cast<F>(features_));
    std::fill_n(epsilon, rows, *epsilon_.at(memory));

    kernels::sum_kernels<F>().rows(x, rows, features_, features_, mean);
    kernels::map(BinaryMap::divide, mean, count, mean, each);
    kernels::softmax_kernels<F>().center_rows(x, rows, features_, mean, out);
    kernels::map(BinaryMap::multiply, out, out, squares, all);
    kernels::sum_kernels<F>().rows(squares, rows, features_, features_, deviation);
    kernels::map(BinaryMap::divide, deviation, count, deviation, each);
    kernels::map(BinaryMap::add, deviation, epsilon, deviation, each);
    kernels::map(kernels::UnaryMap::sqrt, deviation, deviation, each);
    for (Extent r = 0; r < rows; ++r) std::fill_n(squares + r * features_, features_, deviation[r]);
    kernels::map(BinaryMap::divide, out, squares, out, all);
    const F* const scale = scale_.at(memory);
    const F* const shift = shift_.at(memory);
    const auto width = static_cast<std::size_t>(features_);
    for (Extent r = 0; r < rows; ++r) {
      F* const row = out + r * features_;
      kernels::map(BinaryMap::multiply, row, scale, row, width);
      kernels::map(BinaryMap::add, row, shift, row, width);
    }
  }

  Extent rows_, features_;
  Operand input_, scale_, shift_, epsilon_;
  BufferIndex output_;
};

template <class F>
bool supports(const Graph& graph, const Candidate& candidate) {
  return graph[candidate.root].shape[1] <= LayerNormStep<F>::most_features;
}

template <class F>
void lower(Compiler<F>& compiler, const Candidate& candidate) {
  const NormTail& tail = std::any_cast<const RowNorm&>(candidate.attributes).tail;
  const Shape& shape = compiler.node(candidate.root).shape;
  const auto operand = [&](NodeIndex index) {
    const auto value = compiler.row_major(index);
    return Operand{value.buffer, value.layout.offset()};
  };
  const Operand input = operand(tail.input);
  const Operand scale = operand(tail.scale);
  const Operand shift = operand(tail.shift);
  const Operand epsilon = operand(tail.epsilon);
  const BufferIndex output = compiler.define_output(candidate.root, Layout::row_major(shape));
  compiler.append(
      std::make_unique<LayerNormStep<F>>(shape[0], shape[1], input, scale, shift, epsilon, output),
      {input.buffer, scale.buffer, shift.buffer, epsilon.buffer}, {output});
}

}  // namespace

template <class F>
PatternLowering<F> layer_norm_lowering() {
  return {supports<F>, lower<F>};
}

template PatternLowering<float> layer_norm_lowering();
template PatternLowering<double> layer_norm_lowering();

}  // namespace topos::engine
