#include <algorithm>

#include "kernels/for_ranges.hpp"
#include "kernels/reduce.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/run_groups.hpp"

namespace topos::kernels {
namespace {

// Block sums of one line, or of one strip of columns, that threads make before they are folded in order.
template <class F>
inline constexpr Extent blocks_in_flight = (Extent{1} << 16) / sizeof(F);

/// The sums of blocks first ... last - 1 of a line: `extent` elements, or rows of `width` columns.
template <class F>
void sum_blocks(const F* x, const Lines& lines, Extent width, Extent first, Extent last, F* out) {
  const SumKernels<F>& kernels = sum_kernels<F>();
  const Extent whole = std::min(last, lines.extent / sum_block);
  const Extent rest = lines.extent % sum_block;
  if (lines.inner == 1) {
    kernels.rows(x + first * sum_block, whole - first, sum_block, sum_block, out);
    if (whole < last) kernels.rows(x + whole * sum_block, 1, sum_block, rest, out + (whole - first));
    return;
  }
  for (Extent block = first; block < last; ++block) {
    kernels.columns(x + block * sum_block * lines.inner, block < whole ? sum_block : rest, lines.inner, width,
                    out + (block - first) * width);
  }
}

/// One line, or strip of lines, of more than a block.
template <class F, Extent most_width>
void sum_long(const F* x, const Lines& lines, Extent width, F* out, ThreadPool& pool) {
  F sums[blocks_in_flight<F>];
  BlockSums<F, most_width> total(width);
  const Extent blocks = (lines.extent - 1) / sum_block + 1;
  const Extent batch = blocks_in_flight<F> / width;
  for (Extent first = 0; first < blocks; first += batch) {
    const Extent count = std::min(batch, blocks - first);
    for_ranges(pool, count, sum_block * width, [&](Extent from, Extent to) {
      sum_blocks(x, lines, width, first + from, first + to, sums + from * width);
    });
    for (Extent block = 0; block < count; ++block) total.push(sums + block * width);
  }
  std::copy_n(total.total(), width, out);
}

}  // namespace

template <class F>
void sum_lines(const F* x, const Lines& lines, F* out, ThreadPool& pool) {
  if (lines.extent == 0) {
    std::fill_n(out, lines.outer * lines.inner, F{0});
    return;
  }
  const bool is_short = lines.extent <= sum_block;
  if (lines.inner == 1) {
    for_ranges(pool, lines.outer, lines.extent, [&](Extent first, Extent last) {
      if (is_short) {
        sum_kernels<F>().rows(x + first * lines.extent, last - first, lines.extent, lines.extent,
                              out + first);
        return;
      }
      for (Extent o = first; o < last; ++o) sum_long<F, 1>(x + o * lines.extent, lines, 1, out + o, pool);
    });
    return;
  }
  const Extent strips = (lines.inner + strip_width<F> - 1) / strip_width<F>;
  const Extent cost = lines.extent * std::min(lines.inner, strip_width<F>);
  for_ranges(pool, lines.outer * strips, cost, [&](Extent first, Extent last) {
    const SumKernels<F>& kernels = sum_kernels<F>();
    for (Extent strip = first; strip < last; ++strip) {
      const Extent o = strip / strips;
      const Extent k = strip % strips * strip_width<F>;
      const Extent width = std::min(strip_width<F>, lines.inner - k);
      const F* const from = x + o * lines.extent * lines.inner + k;
      F* const to = out + o * lines.inner + k;
      if (is_short) {
        kernels.columns(from, lines.extent, lines.inner, width, to);
      } else {
        sum_long<F, strip_width<F>>(from, lines, width, to, pool);
      }
    }
  });
}

template <class F>
void sum_pieces(const F* x, const SummedLines& lines, F* out, ThreadPool& pool) {
  const Extent groups = (lines.count + most_runs - 1) / most_runs;
  for_ranges(pool, groups, lines.outer * lines.inner * most_runs, [&](Extent from, Extent to) {
    for (Extent first = from * most_runs; first < std::min(to * most_runs, lines.count); first += most_runs) {
      const Extent count = std::min(most_runs, lines.count - first);
      BlockSums<F, most_runs> blocks(count);
      const F* const sums = total_of_runs(
          x + first * lines.inner, lines, count, blocks, [&](const F* run, Extent elements, F* partials) {
            sum_kernels<F>().add_runs(run, count, lines.inner, elements, partials);
          });
      std::copy_n(sums, count, out + first);
    }
  });
}

template <class F>
F sum(const F* x, Extent count, ThreadPool& pool) {
  F result;
  sum_lines(x, Lines{1, count, 1}, &result, pool);
  return result;
}

template float sum(const float*, Extent, ThreadPool&);
template double sum(const double*, Extent, ThreadPool&);
template void sum_pieces(const float*, const SummedLines&, float*, ThreadPool&);
template void sum_pieces(const double*, const SummedLines&, double*, ThreadPool&);
template void sum_lines(const float*, const Lines&, float*, ThreadPool&);
template void sum_lines(const double*, const Lines&, double*, ThreadPool&);

}  // namespace topos::kernels
