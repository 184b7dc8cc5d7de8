// The inner loops of normalization, elected once a call for the instruction set in use.
#pragma once

#include "kernels/norm.hpp"
#include "kernels/reduce/line_kernels.hpp"

namespace topos::kernels {

/// Runs are contiguous, `stride` apart, at most `most_runs` of them; `partials` has 16 sums for each.
template <class F>
struct NormKernels {
  /// Adds (x[i] - mean)^2 as SumKernels::add_runs adds x, with a mean for each run.
  void (*add_squares_of_runs)(const F* x, Extent runs, Extent stride, Extent count, const F* means,
                              F* partials);
  /// out = (x - mean) / deviation scale + shift, with a scale for each run or each position.
  void (*normalize_runs)(const F* x, Extent runs, Extent stride, Extent count, const F* means,
                         const F* deviations, NormScale by, const F* scale, const F* shift, F* out);

  /// Of contiguous rows of `width` columns: sums += (x - mean)^2, a sum for each element, a mean for each
  /// column.
  void (*add_squares_of_columns)(const F* x, Extent rows, Extent width, const F* means, F* sums);
  /// The same as normalize_runs, of columns.
  void (*normalize_columns)(const F* x, Extent rows, Extent width, const F* means, const F* deviations,
                            const F* reciprocals, const F* scale, const F* shift, F* out);
};

template <class F>
const NormKernels<F>& norm_kernels();

}  // namespace topos::kernels
