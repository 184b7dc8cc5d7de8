#include "plan/engine/steps.hpp"

#include <fmt/format.h>

#include "kernels/for_ranges.hpp"

namespace topos::engine {

template <class F>
void CopyStep<F>::run(const Memory<F>& memory) const {
  const F* from = memory.at(from_, offset_);
  F* to = memory.buffers[to_];
  kernels::for_ranges(*memory.pool, volume_, 1, [&](Extent first, Extent end) {
    kernels::copy_strided(from, std::span(axes_), first, end - first, to + first);
  });
}

template <class F>
std::string CopyStep<F>::describe() const {
  return fmt::format("copy: b{} -> b{}", from_, to_);
}

template class CopyStep<float>;
template class CopyStep<double>;

}  // namespace topos::engine
