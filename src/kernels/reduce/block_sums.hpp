// The sums of blocks of 4096, folded by the rule by which they were made, as they come.
#pragma once

#include <algorithm>

#include "topos/tensor/shape.hpp"

namespace topos::kernels {

inline constexpr Extent partial_sums = 16;
inline constexpr Extent sum_block = 4096;

/// The sums of `width` lines beside each other. Takes block sums in ascending order and keeps 16 partial sums
/// a level, not the block sums. No sum of the contract is ever -0, so that x may stand for +0 + x, and a
/// partial sum to which nothing came may be left out.
template <class F, Extent most_width>
class BlockSums {
 public:
  explicit BlockSums(Extent width) : width_(width) {}

  void push(const F* sums) { push(0, sums); }

  /// `width` totals of what was pushed (something was); valid as long as this.
  const F* total() {
    for (int level = 0;; ++level) {
      if (std::all_of(counts_ + level + 1, counts_ + levels, [](Extent count) { return count == 0; })) {
        return fold(level);
      }
      if (counts_[level] > 0) push(level + 1, fold(level));
    }
  }

 private:
  static constexpr int levels = 5;  // 4096^5 blocks of 4096: more than an address can tell apart

  F* partial(int level, Extent lane) { return partials_ + (level * partial_sums + lane) * most_width; }

  void push(int level, const F* sums) {
    Extent& count = counts_[level];
    F* const to = partial(level, count % partial_sums);
    if (count < partial_sums) {
      std::copy(sums, sums + width_, to);
    } else {
      for (Extent i = 0; i < width_; ++i) to[i] = to[i] + sums[i];
    }
    if (++count == sum_block && level + 1 < levels) push(level + 1, fold(level));
  }

  const F* fold(int level) {
    const Extent present = std::min(counts_[level], partial_sums);
    for (Extent half = partial_sums / 2; half > 0; half /= 2) {
      for (Extent lane = 0; lane < half && lane + half < present; ++lane) {
        F* const to = partial(level, lane);
        const F* const from = partial(level, lane + half);
        for (Extent i = 0; i < width_; ++i) to[i] = to[i] + from[i];
      }
    }
    counts_[level] = 0;
    return partial(level, 0);
  }

  Extent width_;
  Extent counts_[levels] = {};
  F partials_[levels * partial_sums * most_width];
};

/// The sum of a line of which the sums of all blocks are there.
template <class F>
F sum_of_blocks(const F* sums, Extent blocks) {
  BlockSums<F, 1> total(1);
  for (Extent block = 0; block < blocks; ++block) total.push(sums + block);
  return *total.total();
}

/// The same of `width` lines beside each other; the sums of a block lie `stride` after those of the one
/// before.
template <class F>
void sum_blocks_of_lines(const F* sums, Extent blocks, Extent stride, Extent width, F* out) {
  if (blocks == 1) {
    std::copy_n(sums, width, out);
    return;
  }
  constexpr Extent most = 1024 / sizeof(F);
  for (Extent first = 0; first < width; first += most) {
    const Extent some = std::min(most, width - first);
    BlockSums<F, most> total(some);
    for (Extent block = 0; block < blocks; ++block) total.push(sums + block * stride + first);
    std::copy_n(total.total(), some, out + first);
  }
}

}  // namespace topos::kernels
