#include "plan/engine/elementwise_sum.hpp"

#include <algorithm>

#include "kernels/reduce/line_kernels.hpp"

namespace topos::engine {

using kernels::partial_sums;
using kernels::sum_kernels;

template <class F>
void ElementwiseSum<F>::add(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials,
                            F* block_sums) const {
  const Extent whole = unit(extent);
  F* const sums = blocks() > 0 ? block_sums : memory.buffers[output];
  for (const Extent end = start + count; start < end;) {
    Extent position = start % whole;
    const Extent last = std::min(end, start + whole - position);
    for (; start < last && position % partial_sums != 0; ++start, ++position, ++x)
      partials[position % partial_sums] += *x;
    if (start < last) sum_kernels<F>().add_runs(x, 1, 0, last - start, partials);
    x += last - start;
    start = last;
    if (start % whole != 0 && start != volume) continue;
    sum_kernels<F>().fold_runs(partials, 1, sums + (start - 1) / whole);
    std::fill_n(partials, partial_sums, F{0});
  }
}

template <class F>
void ElementwiseSum<F>::finish(const Memory<F>& memory, const F* block_sums) const {
  if (blocks() > 0) *memory.buffers[output] = kernels::sum_of_blocks(block_sums, blocks());
}

template struct ElementwiseSum<float>;
template struct ElementwiseSum<double>;

}  // namespace topos::engine
