// Items of unequal cost, claimed one by one, for steps whose threads need scratch memory of their own.
#pragma once

#include <algorithm>
#include <atomic>

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::engine {

/// Bytes, or elements of F, in whole cache lines.
inline std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
template <class F>
Extent whole_lines(Extent elements) {
  return static_cast<Extent>(whole_lines(static_cast<std::size_t>(elements) * sizeof(F)) / sizeof(F));
}

/// How many of the threads are worth waking for so many multiply-adds; at least one.
inline std::size_t threads_for_products(double multiply_adds, std::size_t threads) {
  constexpr double worth_a_thread = 1 << 19;  // some microseconds
  return static_cast<std::size_t>(
      std::clamp(multiply_adds / worth_a_thread, 1.0, static_cast<double>(threads)));
}

/// body(task, item) for each item; each of the tasks, 0 ... tasks - 1, works on one item at a time.
template <class Body>
void claim_items(kernels::ThreadPool& pool, std::size_t tasks, Extent items, const Body& body) {
  std::atomic<Extent> next{0};
  auto claim = [&](std::size_t task) {
    for (Extent item; (item = next.fetch_add(1, std::memory_order_relaxed)) < items;) body(task, item);
  };
  if (tasks == 1) return claim(0);
  pool.run(tasks, claim);
}

}  // namespace topos::engine
