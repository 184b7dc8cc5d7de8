#include "plan/engine/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace topos::engine {

template <class F>
void CopyStep<F>::run(const Memory<F>& memory) const {
  constexpr Extent share = 32768;  // elements worth a task
  const Extent tasks = std::min<Extent>(static_cast<Extent>(memory.pool->threads()) * 4, volume_ / share);
  const F* from = memory.at(from_, offset_);
  F* to = memory.buffers[to_];
  if (tasks <= 1 || memory.pool->threads() == 1)
    return kernels::copy_strided(from, std::span(axes_), Extent{0}, volume_, to);
  auto task = [&](std::size_t i) {
    const Extent first = volume_ * static_cast<Extent>(i) / tasks;
    const Extent end = volume_ * static_cast<Extent>(i + 1) / tasks;
    kernels::copy_strided(from, std::span(axes_), first, end - first, to + first);
  };
  memory.pool->run(static_cast<std::size_t>(tasks), task);
}

template <class F>
std::string CopyStep<F>::describe() const {
  return fmt::format("copy: b{} -> b{}", from_, to_);
}

template class CopyStep<float>;
template class CopyStep<double>;

}  // namespace topos::engine
