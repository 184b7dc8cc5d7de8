#include "plan/engine/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/for_ranges.hpp"

namespace topos::engine {

template <class F>
void CopyStep<F>::run(const Memory<F>& memory) const {
  const F* from = memory.at(from_, offset_);
  F* to = memory.buffers[to_];
  // few large parts: neighbours may come from the same lines of memory
  constexpr Extent least = 1 << 15;
  const auto threads = static_cast<Extent>(memory.pool->threads());
  const Extent parts = std::clamp<Extent>(volume_ / least, 1, 4 * threads);
  kernels::for_ranges(*memory.pool, parts, least, [&](Extent first, Extent end) {
    const Extent from_element = volume_ * first / parts, to_element = volume_ * end / parts;
    kernels::copy_strided(from, std::span(axes_), from_element, to_element - from_element, to + from_element);
  });
}

template <class F>
std::string CopyStep<F>::describe() const {
  return fmt::format("copy: b{} -> b{}", from_, to_);
}

template class CopyStep<float>;
template class CopyStep<double>;

}  // namespace topos::engine
