#include "plan/engine/elementwise_load.hpp"

#include <algorithm>

#include "kernels/map.hpp"
#include "kernels/reduce/data_kernels.hpp"

namespace topos::engine {
namespace {

template <class F>
void repeat(F element, Extent count, F* to) {
  kernels::copy_kernels<F>().runs(&element, 0, 0, 1, count, to);
}

}  // namespace

template <class F>
Extent ElementwiseLoad<F>::offset_of_run(Extent index) const {
  Extent offset = 0;
  for (std::size_t axis = elements.axes.size() - 1; axis-- > 0; index /= elements.axes[axis].extent)
    offset += index % elements.axes[axis].extent * elements.axes[axis].stride;
  return offset;
}

template <class F>
void ElementwiseLoad<F>::fill(const Memory<F>& memory, Extent start, Extent count, Extent period, F* to,
                              F* reciprocals) const {
  if (classes > 0) {  // or the matrix, which is read in place
    if (!is_in_place(memory)) kernels::expand(memory.indices[buffer], classes, start, count, to);
    return;
  }
  const F* const x = memory.at(buffer, elements.offset);
  if (is_uniform) {
    repeat(*x, count, to);
    if (has_reciprocals) repeat(kernels::reciprocal_of(*x), count, reciprocals);
    return;
  }
  if (const Extent length = run(); length >= least_run) {
    for (Extent row = start / length, i = 0; i < count; ++row) {
      const Extent end = std::min(count, (row + 1) * length - start);
      const F element = x[offset_of_run(row)];
      repeat(element, end - i, to + i);
      if (has_reciprocals) repeat(kernels::reciprocal_of(element), end - i, reciprocals + i);
      i = end;
    }
    return;
  }
  kernels::copy_strided(x, std::span(elements.axes), start, count, to);
  if (!has_reciprocals) return;
  const Extent first = std::min(period, count);  // what has reciprocals and no runs is periodic
  std::transform(to, to + first, reciprocals, kernels::reciprocal_of<F>);
  for (Extent i = first; i < count; ++i) reciprocals[i] = reciprocals[i - first];
}

template struct ElementwiseLoad<float>;
template struct ElementwiseLoad<double>;

}  // namespace topos::engine
