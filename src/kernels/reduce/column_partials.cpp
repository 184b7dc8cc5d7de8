#include "kernels/reduce/column_partials.hpp"

#include <algorithm>

#include "kernels/map.hpp"

namespace topos::kernels {
namespace {

template <class F>
void add_to(F* sums, const F* terms, Extent count) {
  map(BinaryMap::add, sums, terms, sums, static_cast<std::size_t>(count));
}

}  // namespace

template <class F>
F* ColumnPartials<F>::at(Extent start, Extent count) {
  const Extent cycle = partial_sums * width_, block = sum_block * width_;
  F* const to = memory_ + start / block * cycle + start % cycle;
  if (start % block < cycle) std::fill_n(to, count, F{0});
  return to;
}

template <class F>
void ColumnPartials<F>::add(const F* x, Extent start, Extent count) {
  const Extent cycle = partial_sums * width_;
  for (const Extent end = start + count; start < end;) {
    const Extent some = std::min(end - start, cycle - start % cycle);
    add_to(at(start, some), x, some);
    x += some;
    start += some;
  }
}

template <class F>
void ColumnPartials<F>::fold(F* out) {
  const Extent blocks = (rows_ - 1) / sum_block + 1, stride = partial_sums * width_;
  for (Extent block = 0; block < blocks; ++block) {  // its sums lie where its partial sums began
    F* const partials = memory_ + block * stride;
    const Extent rows = std::min(partial_sums, rows_ - block * sum_block);
    std::fill_n(partials + rows * width_, (partial_sums - rows) * width_, F{0});
    for (Extent half = partial_sums / 2; half > 0; half /= 2)
      add_to(partials, partials + half * width_, half * width_);
  }
  sum_blocks_of_lines(memory_, blocks, stride, width_, out);
}

template class ColumnPartials<float>;
template class ColumnPartials<double>;

}  // namespace topos::kernels
