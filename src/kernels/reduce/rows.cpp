// What adds and moves rows, shared out: the order of the additions at one element never changes.
#include <algorithm>
#include <cstring>

#include "kernels/for_ranges.hpp"
#include "kernels/reduce.hpp"
#include "kernels/reduce/data_kernels.hpp"

namespace topos::kernels {

template <class F>
void gather(const F* table, std::span<const std::int64_t> indices, Extent row, F* out, ThreadPool& pool) {
  for_ranges(pool, static_cast<Extent>(indices.size()), row, [&](Extent first, Extent last) {
    row_kernels<F>().gather(table, indices.data() + first, last - first, row, out + first * row);
  });
}

template <class F>
void scatter(const F* gradient, std::span<const std::int64_t> indices, Extent rows, Extent row, F* out,
             ThreadPool& pool) {
  constexpr Extent cache_line = 64 / sizeof(F);
  const auto count = static_cast<Extent>(indices.size());
  const auto threads = static_cast<Extent>(pool.threads());
  const auto scatter_part = [&](Extent begin, Extent end, Extent first, Extent width) {
    row_kernels<F>().scatter(gradient, indices.data(), count, row, begin, end, first, width, out);
  };
  // Wide rows are cut into columns, which weigh the same whatever the indices are; narrow ones stay whole.
  if (row >= 4 * cache_line * threads) {
    const Extent lines = (row - 1) / cache_line + 1;
    const Extent width = ((lines - 1) / threads + 1) * cache_line;
    for_ranges(pool, (row - 1) / width + 1, (count + rows) * width, [&](Extent first, Extent last) {
      scatter_part(0, rows, first * width, std::min(last * width, row) - first * width);
    });
    return;
  }
  const Extent share = std::max<Extent>(1, (rows - 1) / threads + 1);
  for_ranges(pool, (rows - 1) / share + 1, (count + rows) * row / threads, [&](Extent first, Extent last) {
    scatter_part(first * share, std::min(last * share, rows), 0, row);
  });
}

template <class F>
void fold(const F* x, const FoldShape& shape, F* out, ThreadPool& pool) {
  constexpr Extent strip = 8192 / sizeof(F);  // some windows of it fit in the cache
  const Extent strips = (shape.inner + strip - 1) / strip;
  const Extent slice = shape.windows * shape.size * shape.inner;
  const Extent cost = (shape.windows * shape.size + shape.extent) * std::min(strip, shape.inner);
  for_ranges(pool, shape.outer * strips, cost, [&](Extent first, Extent last) {
    for (Extent part = first; part < last; ++part) {
      const Extent o = part / strips;
      const Extent k = part % strips * strip;
      fold_kernels<F>().slice(x + o * slice, shape, k, std::min(strip, shape.inner - k),
                              out + o * shape.extent * shape.inner);
    }
  });
}

template <class F>
void expand(std::span<const std::int64_t> indices, Extent classes, Extent first, Extent count, F* out) {
  std::memset(out, 0, static_cast<std::size_t>(count) * sizeof(F));
  for (Extent row = first / classes; row * classes < first + count; ++row) {
    const Extent one = row * classes + indices[static_cast<std::size_t>(row)] - first;
    if (one >= 0 && one < count) out[one] = F{1};
  }
}

template void expand(std::span<const std::int64_t>, Extent, Extent, Extent, float*);
template void expand(std::span<const std::int64_t>, Extent, Extent, Extent, double*);
template void gather(const float*, std::span<const std::int64_t>, Extent, float*, ThreadPool&);
template void gather(const double*, std::span<const std::int64_t>, Extent, double*, ThreadPool&);
template void scatter(const float*, std::span<const std::int64_t>, Extent, Extent, float*, ThreadPool&);
template void scatter(const double*, std::span<const std::int64_t>, Extent, Extent, double*, ThreadPool&);
template void fold(const float*, const FoldShape&, float*, ThreadPool&);
template void fold(const double*, const FoldShape&, double*, ThreadPool&);

}  // namespace topos::kernels
