#include "plan/engine/elementwise_sum.hpp"

#include <algorithm>

#include "kernels/reduce/line_kernels.hpp"

namespace topos::engine {

using kernels::partial_sums;
using kernels::sum_block;
using kernels::sum_kernels;

namespace {

// Adds elements position ... position + count - 1 of a line to its 16 partial sums.
template <class F>
void add_run(const F* x, Extent position, Extent count, F* partials) {
  for (; count > 0 && position % partial_sums != 0; --count, ++position, ++x)
    partials[position % partial_sums] += *x;
  if (count > 0) sum_kernels<F>().add_runs(x, 1, 0, count, partials);
}

}  // namespace

template <class F>
bool ElementwiseSum<F>::supports(const SummedLines& lines) {
  constexpr Extent most_partials = Extent{256} * 1024 / sizeof(F);  // stay in the second-level cache
  if (lines.are_runs()) return lines.count == 1 || lines.inner <= sum_block;
  return (lines.are_columns() || lines.inner % partial_sums == 0) &&
         lines.count * partial_sums <= most_partials;
}

template <class F>
Extent ElementwiseSum<F>::unit(const SummedLines& lines) {
  return lines.are_runs() ? std::min(lines.inner, sum_block) : 1;
}

template <class F>
Extent ElementwiseSum<F>::cycle(const SummedLines& lines) {
  if (lines.are_runs()) return 0;
  return lines.count * (lines.are_columns() ? partial_sums : lines.inner);
}

template <class F>
Extent ElementwiseSum<F>::parts(const SummedLines& lines) {
  return lines.are_columns() ? partial_sums : lines.count;
}

template <class F>
Extent ElementwiseSum<F>::block_of_columns(const SummedLines& lines) {
  return lines.are_columns() ? sum_block * lines.count : 0;
}

template <class F>
Extent ElementwiseSum<F>::needed_scratch() const {
  if (!lines_.are_runs()) return blocks() * lines_.count * partial_sums;
  return lines_.inner > sum_block ? blocks() : 0;
}

template <class F>
void ElementwiseSum<F>::add(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials,
                            F* scratch) const {
  if (lines_.are_runs()) return add_runs(memory, x, start, count, partials, scratch);
  lines_.are_columns() ? columns(scratch).add(x, start, count) : add_parts_of_lines(x, start, count, scratch);
}

template <class F>
void ElementwiseSum<F>::add_runs(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials,
                                 F* block_sums) const {
  const Extent whole = unit(lines_), volume = lines_.count * lines_.inner;
  F* const sums = lines_.inner > sum_block ? block_sums : memory.buffers[output_];
  for (const Extent end = start + count; start < end;) {
    const Extent position = start % whole;
    const Extent some = std::min(end - start, whole - position);
    add_run(x, position, some, partials);
    x += some;
    start += some;
    if (start % whole != 0 && start != volume) continue;
    sum_kernels<F>().fold_runs(partials, 1, sums + (start - 1) / whole);
    std::fill_n(partials, partial_sums, F{0});
  }
}

// 16 partial sums for each line of each block.
template <class F>
void ElementwiseSum<F>::add_parts_of_lines(const F* x, Extent start, Extent count, F* scratch) const {
  for (const Extent end = start + count; start < end;) {
    const Extent run = start / lines_.inner, within = start % lines_.inner;
    const Extent position = run / lines_.count * lines_.inner + within;
    const Extent some = std::min({end - start, lines_.inner - within, sum_block - position % sum_block});
    F* const partials = scratch + (position / sum_block * lines_.count + run % lines_.count) * partial_sums;
    if (position % sum_block == 0) std::fill_n(partials, partial_sums, F{0});
    add_run(x, position, some, partials);
    x += some;
    start += some;
  }
}

template <class F>
void ElementwiseSum<F>::finish(const Memory<F>& memory, F* scratch) const {
  F* const out = memory.buffers[output_];
  if (lines_.are_runs()) {
    if (lines_.inner > sum_block) *out = kernels::sum_of_blocks(scratch, blocks());
    return;
  }
  if (lines_.are_columns()) return columns(scratch).fold(out);
  const Extent count = lines_.count, stride = count * partial_sums;
  for (Extent block = 0; block < blocks(); ++block) {  // its sums lie where its partial sums began
    F* const partials = scratch + block * stride;
    sum_kernels<F>().fold_runs(partials, count, partials);
  }
  kernels::sum_blocks_of_lines(scratch, blocks(), stride, count, out);
}

template class ElementwiseSum<float>;
template class ElementwiseSum<double>;

}  // namespace topos::engine
