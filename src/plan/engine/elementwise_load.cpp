#include "plan/engine/elementwise_load.hpp"

#include <algorithm>

#include "kernels/map.hpp"

namespace topos::engine {

template <class F>
void ElementwiseLoad<F>::fill(const Memory<F>& memory, Extent start, Extent count, Extent period, F* to,
                              F* reciprocals) const {
  const F* const x = memory.at(buffer, layout.offset());
  if (is_uniform) {
    std::fill_n(to, count, *x);
    if (has_reciprocals) std::fill_n(reciprocals, count, kernels::reciprocal_of(*x));
    return;
  }
  kernels::copy_strided(x, std::span(axes), start, count, to);
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
    std::fill(reciprocals + i, reciprocals + end, kernels::reciprocal_of(to[i]));
    i = end;
  }
}

template struct ElementwiseLoad<float>;
template struct ElementwiseLoad<double>;

}  // namespace topos::engine
