// The inner loops of the reductions along lines, elected once a call for the instruction set in use.
#pragma once

#include "kernels/reduce/block_sums.hpp"

namespace topos::kernels {

/// Columns that are reduced side by side: a KiB of each row.
template <class F>
inline constexpr Extent strip_width = 1024 / sizeof(F);

/// Rows that are reduced side by side, so that their chains of additions do not wait for each other.
inline constexpr Extent most_runs = 4;

/// Sums of at most 4096 elements each.
template <class F>
struct SumKernels {
  /// out[r] = the sum of the `count` contiguous elements at x + r * stride, r < rows.
  void (*rows)(const F* x, Extent rows, Extent stride, Extent count, F* out);
  /// out[k] = the sum of column k of `rows` rows, `stride` apart, k < width <= strip_width.
  void (*columns)(const F* x, Extent rows, Extent stride, Extent width, F* out);
  /// The same in pieces: rows first ... first + rows - 1, which x begins with, go to the 16 partial sums,
  /// rows of strip_width elements, which row 0 to 15 set; then the partial sums, or as many as were set, fold
  /// to out.
  void (*add_columns)(const F* x, Extent first, Extent rows, Extent stride, Extent width, F* partials);
  void (*fold_columns)(const F* partials, Extent set, Extent width, F* out);
  /// Adds elements i of each of at most `most_runs` contiguous runs, `stride` apart, to its partial sum i mod
  /// 16; each run has 16.
  void (*add_runs)(const F* x, Extent runs, Extent stride, Extent count, F* partials);
  /// out[run] = the partial sums, folded.
  void (*fold_runs)(const F* partials, Extent runs, F* out);
};

template <class F>
const SumKernels<F>& sum_kernels();

/// The parts of the softmax family around its exponentials. Rows are contiguous, `extent` elements each;
/// columns are `stride` apart, `width` of them at most strip_width.
template <class F>
struct SoftmaxKernels {
  /// peaks[r] = the maximum of row r, -infinity for none; of a row with a NaN, anything; of zeros, any of
  /// them. The same of minima, infinity for none, unless `least` is null.
  void (*extremes_of_rows)(const F* x, Extent rows, Extent extent, F* peaks, F* least);
  /// out = x - shifts[r], contiguous.
  void (*center_rows)(const F* x, Extent rows, Extent extent, const F* shifts, F* out);
  /// out = (x - shifts[r]) - totals[r].
  void (*normalize_rows)(const F* x, Extent rows, Extent extent, const F* shifts, const F* totals, F* out);

  /// peaks[k] = the maximum of peaks[k] and column k, likewise.
  void (*maximum_columns)(const F* x, Extent rows, Extent stride, Extent width, F* peaks);
  /// out = x - shifts[k], its rows contiguous.
  void (*center_columns)(const F* x, Extent rows, Extent stride, Extent width, const F* shifts, F* out);
  /// out = (x - shifts[k]) - totals[k], its rows `stride` apart too.
  void (*normalize_columns)(const F* x, Extent rows, Extent stride, Extent width, const F* shifts,
                            const F* totals, F* out);
};

template <class F>
const SoftmaxKernels<F>& softmax_kernels();

}  // namespace topos::kernels
