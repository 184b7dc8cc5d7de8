#include "plan/engine/elementwise_load.hpp"

#include <algorithm>
#include <array>

#include "kernels/map.hpp"

namespace topos::engine {
namespace {

template <class F>
void repeat(F element, Extent count, F* to) {
  kernels::copy_strided(&element, std::array{StridedAxis{count, 0}}, 0, count, to);
}

}  // namespace

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
  kernels::copy_strided(x, std::span(elements.axes), start, count, to);
  if (!has_reciprocals) return;
  if (is_periodic) {
    const Extent first = std::min(period, count);
    std::transform(to, to + first, reciprocals, kernels::reciprocal_of<F>);
    for (Extent i = first; i < count; ++i) reciprocals[i] = reciprocals[i - first];
    return;
  }
  const Extent length = run();
  for (Extent i = 0; i < count;) {
    const Extent end = std::min(count, i + length - (start + i) % length);
    repeat(kernels::reciprocal_of(to[i]), end - i, reciprocals + i);
    i = end;
  }
}

template struct ElementwiseLoad<float>;
template struct ElementwiseLoad<double>;

}  // namespace topos::engine
