// Work shared out in ranges that are worth a thread's while.
#pragma once

#include <algorithm>

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// body(first, last) on ranges that make up 0 ... items - 1. An item costs as much as reading `cost`
/// elements; work below 65,536 elements, some ten microseconds, stays on the caller.
template <class Body>
void for_ranges(ThreadPool& pool, Extent items, Extent cost, const Body& body) {
  constexpr Extent worth_sharing = 1 << 16;
  constexpr Extent worth_claiming = 1 << 15;
  const Extent range = std::max<Extent>(1, worth_claiming / std::max<Extent>(1, cost));
  if (items <= range || items < worth_sharing / std::max<Extent>(1, cost)) {
    if (items > 0) body(Extent{0}, items);
    return;
  }
  const auto tasks = static_cast<std::size_t>((items - 1) / range + 1);
  pool.run(tasks, [&](std::size_t task) {
    const Extent first = static_cast<Extent>(task) * range;
    body(first, std::min(first + range, items));
  });
}

}  // namespace topos::kernels
