// The sum of the log-probabilities that targets select. Where the targets are a selection and the
// log-probabilities are finite, all other products are zeros, which change no sum of the contract.
#include "topos/plan/patterns/selected_log_softmax.hpp"

#include <fmt/format.h>

#include "kernels/for_ranges.hpp"
#include "kernels/map.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "plan/engine/pattern_lowering_list.hpp"
#include "plan/engine/selected_elements.hpp"

namespace topos::engine {
namespace {

using kernels::sum_block;

template <class F>
class SelectedLogSoftmaxStep : public Step<F> {
 public:
  SelectedLogSoftmaxStep(Operand logits, BufferIndex targets, Extent rows, Extent classes, BufferIndex total,
                         std::optional<BufferIndex> log_softmax)
      : logits_(logits),
        targets_(targets),
        rows_(rows),
        classes_(classes),
        total_(total),
        log_softmax_(log_softmax) {}

  void run(const Memory<F>& memory) const override {
    const std::span<const std::int64_t> indices = memory.indices[targets_];
    const F* const x = logits_.at(memory);
    F* const scratch = reinterpret_cast<F*>(memory.scratch);
    F* out = log_softmax_ ? memory.buffers[*log_softmax_] : nullptr;
    F& total = *memory.buffers[total_];
    const kernels::Lines lines{rows_, classes_, 1};
    if (!indices.empty() && kernels::log_softmax_at(x, lines, indices.data(), scratch, out, *memory.pool)) {
      total = sum_of_selected(scratch, indices);
      return;
    }
    if (!out) out = scratch + blocks();
    kernels::log_softmax(x, lines, out, *memory.pool);
    total = sum_of_products(memory, out, scratch);
  }
  std::size_t scratch_bytes(std::size_t) const override {
    const Extent given = log_softmax_ ? 0 : rows_ * classes_;
    return static_cast<std::size_t>(std::max(rows_, blocks() + given)) * sizeof(F);
  }
  std::string describe() const override {
    return fmt::format("sum of b{} (may be a selection) * log_softmax [{}, {}]: b{} -> b{}{}", targets_,
                       rows_, classes_, logits_.buffer, total_,
                       log_softmax_ ? fmt::format(", b{}", *log_softmax_) : "");
  }

 private:
  Extent blocks() const { return (rows_ * classes_ - 1) / sum_block + 1; }

  /// The contract's sum of all products, of which only each row's selected one is not zero.
  F sum_of_selected(const F* selected, std::span<const std::int64_t> indices) const {
    kernels::BlockSums<F, 1> total(1);
    Extent row = 0;
    for (Extent block = 0; block < blocks(); ++block) {
      alignas(64) F partials[kernels::partial_sums] = {};
      for (; row < rows_; ++row) {
        const Extent place = row * classes_ + indices[static_cast<std::size_t>(row)];
        if (place / sum_block > block) break;
        partials[place % kernels::partial_sums] += selected[row];
      }
      F sum;
      kernels::sum_kernels<F>().fold_runs(partials, 1, &sum);
      total.push(&sum);
    }
    return *total.total();
  }

  F sum_of_products(const Memory<F>& memory, const F* log_softmax, F* sums) const {
    kernels::for_ranges(*memory.pool, blocks(), sum_block, [&](Extent first, Extent last) {
      alignas(64) F products[sum_block];
      for (Extent block = first; block < last; ++block) {
        const Extent start = block * sum_block, count = std::min(sum_block, rows_ * classes_ - start);
        const F* const targets = selected_elements(memory, targets_, classes_, start, count, products);
        kernels::map(kernels::BinaryMap::multiply, targets, log_softmax + start, products,
                     static_cast<std::size_t>(count));
        kernels::sum_kernels<F>().rows(products, 1, count, count, sums + block);
      }
    });
    return kernels::sum_of_blocks(sums, blocks());
  }

  Operand logits_;
  BufferIndex targets_;
  Extent rows_, classes_;
  BufferIndex total_;
  std::optional<BufferIndex> log_softmax_;  // where something else reads it
};

bool supports(const Graph& graph, const Candidate& candidate) {
  const auto& pattern = std::any_cast<const SelectedLogSoftmax&>(candidate.attributes);
  return graph[pattern.logits].shape[1] <= sum_block;
}

template <class F>
void lower(Compiler<F>& compiler, const Candidate& candidate) {
  const auto& pattern = std::any_cast<const SelectedLogSoftmax&>(candidate.attributes);
  const Shape& shape = compiler.node(pattern.logits).shape;
  const auto logits = compiler.row_major(pattern.logits);
  const BufferIndex targets = compiler.row_major(pattern.targets).buffer;
  std::optional<BufferIndex> log_softmax;
  std::vector<BufferIndex> reads{logits.buffer}, writes;
  if (compiler.readers(pattern.log_softmax) > 0) {
    log_softmax = compiler.define_output(pattern.log_softmax, Layout::row_major(shape));
    writes.push_back(*log_softmax);
  }
  const BufferIndex total = compiler.define_output(candidate.root, Layout::row_major(Shape()));
  writes.push_back(total);
  compiler.never_negative_zero(total);
  const StepIndex at = compiler.append(
      std::make_unique<SelectedLogSoftmaxStep<F>>(Operand{logits.buffer, logits.layout.offset()}, targets,
                                                  shape[0], shape[1], total, log_softmax),
      reads, writes);
  compiler.add_reads(at, targets, compiler.selection_classes(targets) > 0);
}

}  // namespace

template <class F>
PatternLowering<F> selected_log_softmax_lowering() {
  return {supports, lower<F>};
}

template PatternLowering<float> selected_log_softmax_lowering();
template PatternLowering<double> selected_log_softmax_lowering();

}  // namespace topos::engine
