// log_softmax and log_sum_exp: each line's maximum, the exponentials of what lies below it, their sum by the
// contract, its logarithm. Lines go through a buffer in groups, so that one call of the exponential does
// many.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/for_ranges.hpp"
#include "kernels/map.hpp"
#include "kernels/reduce.hpp"
#include "kernels/reduce/line_kernels.hpp"

namespace topos::kernels {
namespace {

constexpr Extent cost_of_exponential = 8;  // reading so many elements

/// Exponentials under way, and what is known of their lines.
template <class F>
struct Buffer {
  alignas(64) F exponentials[sum_block];
  alignas(64) F shifts[sum_block];
  alignas(64) F totals[sum_block];
};

/// What becomes of a line's maximum before it is subtracted, and what is written at the end.
enum class Result { log_softmax, log_sum_exp };

/// log_sum_exp shifts by nothing where the maximum is infinite or NaN.
template <class F>
void guard(Result result, F* shifts, Extent count) {
  if (result == Result::log_softmax) return;
  for (Extent i = 0; i < count; ++i) {
    if (!std::isfinite(shifts[i])) shifts[i] = F{0};
  }
}

template <class F>
void add(const F* shifts, const F* totals, Extent count, F* out) {
  for (Extent i = 0; i < count; ++i) out[i] = shifts[i] + totals[i];
}

/// Rows of `extent` elements that a thread takes at a time: they stay in the second cache.
Extent rows_together(Extent extent) {
  constexpr Extent fewest = 16, cached = 1 << 13;
  if (extent > sum_block) return 1;  // each takes its time
  return std::clamp<Extent>(cached / std::max<Extent>(1, extent), fewest, sum_block);
}

template <class F>
void exponentials(Buffer<F>& buffer, Extent count) {
  map(UnaryMap::exp, buffer.exponentials, buffer.exponentials, static_cast<std::size_t>(count));
}

/// The same; meanwhile as many elements at `to`, which will be written soon, come to the cache.
template <class F>
void exponentials(Buffer<F>& buffer, Extent count, const F* to) {
  constexpr Extent some = 256, line = 64 / sizeof(F);  // as many lines as may be on their way
  for (Extent first = 0; first < count; first += some) {
    const Extent end = std::min(first + some, count);
    for (Extent i = first; i < end; i += line) __builtin_prefetch(to + i, 1);
    F* const x = buffer.exponentials + first;
    map(UnaryMap::exp, x, x, static_cast<std::size_t>(end - first));
  }
}

template <class F>
void logarithms(Buffer<F>& buffer, Extent count) {
  map(UnaryMap::log, buffer.totals, buffer.totals, static_cast<std::size_t>(count));
}

/// Contiguous rows of at most a block: shifts and the logarithms of the totals. Exponentials are taken of
/// some rows at a time, logarithms of all, for few of them would cost as much. The rows' minima, too, unless
/// `least` is null. The rows at `to`, unless it is null, will be written next.
template <class F>
void totals_of_rows(const F* x, Extent rows, Extent extent, Result result, Buffer<F>& buffer,
                    F* least = nullptr, const F* to = nullptr) {
  const SoftmaxKernels<F>& kernels = softmax_kernels<F>();
  kernels.extremes_of_rows(x, rows, extent, buffer.shifts, least);
  guard(result, buffer.shifts, rows);
  const Extent some = std::max<Extent>(1, sum_block / 2 / std::max<Extent>(1, extent));
  for (Extent r = 0; r < rows; r += some) {
    const Extent count = std::min(some, rows - r);
    kernels.center_rows(x + r * extent, count, extent, buffer.shifts + r, buffer.exponentials);
    if (to) {
      exponentials(buffer, count * extent, to + r * extent);
    } else {
      exponentials(buffer, count * extent);
    }
    sum_kernels<F>().rows(buffer.exponentials, count, extent, extent, buffer.totals + r);
  }
  logarithms(buffer, rows);
}

template <class F>
void short_rows(const F* x, Extent rows, Extent extent, Result result, F* out, Buffer<F>& buffer) {
  totals_of_rows(x, rows, extent, result, buffer);
  if (result == Result::log_softmax) {
    softmax_kernels<F>().normalize_rows(x, rows, extent, buffer.shifts, buffer.totals, out);
  } else {
    add(buffer.shifts, buffer.totals, rows, out);
  }
}

/// The same, of which `selected` gets one element a row, and `out`, unless it is null, all. Whether all are
/// finite: a row's least element gives its least result, and a NaN makes its total NaN.
template <class F>
bool rows_at(const F* x, Extent rows, Extent extent, const std::int64_t* indices, F* selected, F* out,
             Buffer<F>& buffer) {
  F* const least = selected;
  totals_of_rows(x, rows, extent, Result::log_softmax, buffer, least, out);
  bool is_finite = true;
  for (Extent r = 0; r < rows; ++r) {
    const auto normalized = [&](F element) { return (element - buffer.shifts[r]) - buffer.totals[r]; };
    is_finite = is_finite && std::isfinite(normalized(least[r]));
    selected[r] = normalized(x[r * extent + indices[r]]);
  }
  if (out) softmax_kernels<F>().normalize_rows(x, rows, extent, buffer.shifts, buffer.totals, out);
  return is_finite;
}

/// One contiguous line, block by block.
template <class F>
void long_row(const F* x, Extent extent, Result result, F* out, Buffer<F>& buffer) {
  const SoftmaxKernels<F>& kernels = softmax_kernels<F>();
  kernels.extremes_of_rows(x, 1, extent, buffer.shifts, nullptr);
  guard(result, buffer.shifts, 1);
  BlockSums<F, 1> total(1);
  for (Extent first = 0; first < extent; first += sum_block) {
    const Extent count = std::min(sum_block, extent - first);
    kernels.center_rows(x + first, 1, count, buffer.shifts, buffer.exponentials);
    exponentials(buffer, count);
    sum_kernels<F>().rows(buffer.exponentials, 1, count, count, buffer.totals);
    total.push(buffer.totals);
  }
  buffer.totals[0] = *total.total();
  logarithms(buffer, 1);
  if (result == Result::log_softmax) {
    kernels.normalize_rows(x, 1, extent, buffer.shifts, buffer.totals, out);
  } else {
    add(buffer.shifts, buffer.totals, 1, out);
  }
}

/// The totals of `width` columns of at most a block, as many rows at a time as fit in the buffer.
template <class F>
void sum_block_of_columns(const F* x, Extent rows, Extent stride, Extent width, Buffer<F>& buffer) {
  alignas(64) F partials[partial_sums * strip_width<F>];
  const Extent piece = sum_block / width;
  for (Extent first = 0; first < rows; first += piece) {
    const Extent count = std::min(piece, rows - first);
    softmax_kernels<F>().center_columns(x + first * stride, count, stride, width, buffer.shifts,
                                        buffer.exponentials);
    exponentials(buffer, count * width);
    sum_kernels<F>().add_columns(buffer.exponentials, first, count, width, width, partials);
  }
  sum_kernels<F>().fold_columns(partials, std::min(rows, partial_sums), width, buffer.totals);
}

template <class F>
void sum_long_columns(const F* x, Extent extent, Extent stride, Extent width, Buffer<F>& buffer) {
  BlockSums<F, strip_width<F>> total(width);
  for (Extent first = 0; first < extent; first += sum_block) {
    sum_block_of_columns(x + first * stride, std::min(sum_block, extent - first), stride, width, buffer);
    total.push(buffer.totals);
  }
  std::copy_n(total.total(), width, buffer.totals);
}

/// `width` lines beside each other; `out` is where log_softmax writes as it reads, or one element a line.
template <class F>
void columns(const F* x, Extent extent, Extent stride, Extent width, Result result, F* out,
             Buffer<F>& buffer) {
  std::fill_n(buffer.shifts, width, -std::numeric_limits<F>::infinity());
  softmax_kernels<F>().maximum_columns(x, extent, stride, width, buffer.shifts);
  guard(result, buffer.shifts, width);
  if (extent <= sum_block) {
    sum_block_of_columns(x, extent, stride, width, buffer);
  } else {
    sum_long_columns(x, extent, stride, width, buffer);
  }
  logarithms(buffer, width);
  if (result == Result::log_softmax) {
    softmax_kernels<F>().normalize_columns(x, extent, stride, width, buffer.shifts, buffer.totals, out);
  } else {
    add(buffer.shifts, buffer.totals, width, out);
  }
}

/// body(first row, rows, buffer) on groups of rows that make up all of them.
template <class F, class Body>
void for_row_groups(const Lines& lines, ThreadPool& pool, const Body& body) {
  const Extent group = rows_together(lines.extent);
  const Extent groups = (lines.outer + group - 1) / group;
  for_ranges(pool, groups, std::min(group, lines.outer) * lines.extent * cost_of_exponential,
             [&](Extent first, Extent last) {
               Buffer<F> buffer;
               for (Extent o = first * group; o < std::min(last * group, lines.outer); o += group)
                 body(o, std::min(group, lines.outer - o), buffer);
             });
}

template <class F>
void along_rows(const F* x, const Lines& lines, Result result, F* out, ThreadPool& pool) {
  const Extent written = result == Result::log_softmax ? lines.extent : 1;  // elements a line
  for_row_groups<F>(lines, pool, [&](Extent first, Extent rows, Buffer<F>& buffer) {
    const F* const from = x + first * lines.extent;
    F* const to = out + first * written;
    if (lines.extent <= sum_block) return short_rows(from, rows, lines.extent, result, to, buffer);
    for (Extent r = 0; r < rows; ++r)
      long_row(from + r * lines.extent, lines.extent, result, to + r * written, buffer);
  });
}

template <class F>
void along_columns(const F* x, const Lines& lines, Result result, F* out, ThreadPool& pool) {
  const Extent written = result == Result::log_softmax ? lines.extent : 1;
  const Extent strips = (lines.inner + strip_width<F> - 1) / strip_width<F>;
  const Extent cost = lines.extent * std::min(lines.inner, strip_width<F>) * cost_of_exponential;
  for_ranges(pool, lines.outer * strips, cost, [&](Extent first, Extent last) {
    Buffer<F> buffer;
    for (Extent strip = first; strip < last; ++strip) {
      const Extent o = strip / strips;
      const Extent k = strip % strips * strip_width<F>;
      columns(x + o * lines.extent * lines.inner + k, lines.extent, lines.inner,
              std::min(strip_width<F>, lines.inner - k), result, out + o * written * lines.inner + k, buffer);
    }
  });
}

template <class F>
void along(const F* x, const Lines& lines, Result result, F* out, ThreadPool& pool) {
  if (lines.extent == 0) {  // the logarithm of no exponentials
    if (result == Result::log_sum_exp)
      std::fill_n(out, lines.outer * lines.inner, -std::numeric_limits<F>::infinity());
    return;
  }
  if (lines.inner == 1) {
    along_rows(x, lines, result, out, pool);
  } else {
    along_columns(x, lines, result, out, pool);
  }
}

}  // namespace

template <class F>
void log_softmax(const F* x, const Lines& lines, F* out, ThreadPool& pool) {
  along(x, lines, Result::log_softmax, out, pool);
}

template <class F>
void log_sum_exp(const F* x, const Lines& lines, F* out, ThreadPool& pool) {
  along(x, lines, Result::log_sum_exp, out, pool);
}

template <class F>
bool log_softmax_at(const F* x, const Lines& lines, const std::int64_t* indices, F* selected, F* out,
                    ThreadPool& pool) {
  std::atomic<bool> is_finite = true;
  for_row_groups<F>(lines, pool, [&](Extent first, Extent rows, Buffer<F>& buffer) {
    const Extent at = first * lines.extent;
    if (!rows_at(x + at, rows, lines.extent, indices + first, selected + first, out ? out + at : nullptr,
                 buffer))
      is_finite = false;
  });
  return is_finite;
}

template bool log_softmax_at(const float*, const Lines&, const std::int64_t*, float*, float*, ThreadPool&);
template bool log_softmax_at(const double*, const Lines&, const std::int64_t*, double*, double*, ThreadPool&);
template void log_softmax(const float*, const Lines&, float*, ThreadPool&);
template void log_softmax(const double*, const Lines&, double*, ThreadPool&);
template void log_sum_exp(const float*, const Lines&, float*, ThreadPool&);
template void log_sum_exp(const double*, const Lines&, double*, ThreadPool&);

}  // namespace topos::kernels
