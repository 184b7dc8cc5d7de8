// Inputs shared out to threads in blocks, with progress on a terminal, until all are done or Ctrl-C.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "checks.hpp"

namespace exhaustive {

/// Set by the signal handler; no block begins after it.
extern std::atomic<bool> interrupted;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

struct Block {
  std::uint64_t first;
  std::size_t count;
};

class Blocks {
 public:
  Blocks(Range range, std::size_t block) : next_(range.from), end_(range.to + 1), block_(block) {}

  /// The next inputs for this thread; none when the work is over.
  std::optional<Block> take();
  void finish(const Block& block) { done_ += block.count; }
  std::uint64_t done() const { return done_; }

 private:
  std::atomic<std::uint64_t> next_, done_ = 0;
  const std::uint64_t end_;
  const std::size_t block_;
};

/// Runs work(blocks) on each thread, showing `name`, the share done and the number of results that are wrong
/// so far. Gives the seconds that it took.
double share_out(const std::string& name, Range range, Blocks& blocks, unsigned threads,
                 const std::atomic<std::uint64_t>& wrong, const std::function<void(Blocks&)>& work);

}  // namespace exhaustive
