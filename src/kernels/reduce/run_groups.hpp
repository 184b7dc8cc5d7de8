// Sums of lines that are several runs each.
#pragma once

#include "kernels/reduce.hpp"
#include "kernels/reduce/line_kernels.hpp"

namespace topos::kernels {

/// The totals of `count` neighbouring lines, at most `most`, of which x is the first run: add(run, elements,
/// partials) adds the first elements of a run of each to 16 partial sums of each. `lines.inner` is a multiple
/// of 16 or there is one run. Valid as long as `blocks`, which must be new.
template <class F, Extent most, class Add>
const F* total_of_runs(const F* x, const SummedLines& lines, Extent count, BlockSums<F, most>& blocks,
                       const Add& add) {
  alignas(64) F partials[most * partial_sums] = {};
  F sums[most];
  Extent in_block = 0;
  const auto end_block = [&] {
    sum_kernels<F>().fold_runs(partials, count, sums);
    blocks.push(sums);
    std::fill(std::begin(partials), std::end(partials), F{0});
    in_block = 0;
  };
  for (Extent o = 0; o < lines.outer; ++o) {
    const F* const run = x + o * lines.count * lines.inner;
    for (Extent i = 0; i < lines.inner;) {
      const Extent some = std::min(lines.inner - i, sum_block - in_block);
      add(run + i, some, partials);
      i += some;
      in_block += some;
      if (in_block == sum_block) end_block();
    }
  }
  if (in_block > 0) end_block();
  return blocks.total();
}

}  // namespace topos::kernels
