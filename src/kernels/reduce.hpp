// Reductions, the softmax family, rows by index and copies between layouts. Bits equal to tensor/reference/.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// Elements [outer, extent, inner], row-major: a reduction goes along `extent`.
struct Lines {
  Extent outer = 1;
  Extent extent = 0;
  Extent inner = 1;
};

/// Elements [outer, count, inner], row-major: line i is what all of outer and inner have at i, in this order.
struct SummedLines {
  Extent outer = 1, count = 1, inner = 1;

  bool are_runs() const { return outer == 1; }
  bool are_columns() const { return inner == 1 && !are_runs(); }
};

/// The contract's sum of `count` contiguous elements: element i to partial sum i mod 16 in blocks of 4096,
/// the 16 folded as a tree, block sums folded by the same rule.
template <class F>
F sum(const F* x, Extent count, ThreadPool& pool);

/// out[o, k] = the contract's sum of line (o, k).
template <class F>
void sum_lines(const F* x, const Lines& lines, F* out, ThreadPool& pool);
/// out[i] = the contract's sum of line i; inner must be a multiple of 16.
template <class F>
void sum_pieces(const F* x, const SummedLines& lines, F* out, ThreadPool& pool);
/// out[o, i, k] = (x - max) - log(sum(exp(x - max))) along the line. `out` may be `x`.
template <class F>
void log_softmax(const F* x, const Lines& lines, F* out, ThreadPool& pool);
/// selected[o] = log_softmax of row o at indices[o]; all of it goes to `out`, too, unless that is null. Rows
/// are contiguous, of at most 4096 elements. The answer is whether all of it is finite.
template <class F>
bool log_softmax_at(const F* x, const Lines& lines, const std::int64_t* indices, F* selected, F* out,
                    ThreadPool& pool);
/// out[o, k] = shift + log(sum(exp(x - shift))) along the line; the shift is the maximum where that is
/// finite.
template <class F>
void log_sum_exp(const F* x, const Lines& lines, F* out, ThreadPool& pool);

/// out[i] = row indices[i] of the table, rows of `row` elements.
template <class F>
void gather(const F* table, std::span<const std::int64_t> indices, Extent row, F* out, ThreadPool& pool);
/// out (rows x row) = zeros, then out[indices[i]] += gradient[i], i ascending.
template <class F>
void scatter(const F* gradient, std::span<const std::int64_t> indices, Extent rows, Extent row, F* out,
             ThreadPool& pool);

/// out = elements first ... first + count - 1 of rows of `classes` zeros with a one at each row's index.
template <class F>
void expand(std::span<const std::int64_t> indices, Extent classes, Extent first, Extent count, F* out);

/// One axis of a strided layout, outermost first in lists.
struct StridedAxis {
  Extent extent = 1;
  Extent stride = 0;  ///< in elements
  bool operator==(const StridedAxis&) const = default;
};

/// out (contiguous) = the elements first ... first + count - 1, in row-major order, of the layout `axes` at
/// `x`; they may not overlap `out`. Adjacent axes that form one are merged first. Fast for a contiguous inner
/// axis, a repeated one and a transposed pair, the faster the more rows of its extent `count` spans.
template <class F>
void copy_strided(const F* x, std::span<const StridedAxis> axes, Extent first, Extent count, F* out);

/// The adjoint of unfold, reference::fold: x is [outer, windows, size, inner], out [outer, extent, inner].
struct FoldShape {
  Extent outer = 1, windows = 0, size = 0, inner = 1, extent = 0, step = 1, dilation = 1;
};
template <class F>
void fold(const F* x, const FoldShape& shape, F* out, ThreadPool& pool);

}  // namespace topos::kernels
