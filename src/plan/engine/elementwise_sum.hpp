// Sums of what a member of an elementwise group computes, made tile by tile.
#pragma once

#include "kernels/reduce/block_sums.hpp"
#include "plan/engine/executable.hpp"

namespace topos::engine {

/// The sums of the lines of `extent` contiguous elements of a member: all of them in one line, or lines of at
/// most a block of the contract.
template <class F>
struct ElementwiseSum {
  std::size_t member;  // position in the group
  Extent extent;
  Extent volume;
  NodeIndex node;
  BufferIndex output;

  /// The elements that one thread adds up, one after the other: a line or a block of one.
  static Extent unit(Extent extent) { return std::min(extent, kernels::sum_block); }
  /// How many sums of blocks run() needs memory for.
  Extent blocks() const { return extent > kernels::sum_block ? (volume - 1) / kernels::sum_block + 1 : 0; }

  /// Adds elements start ... start + count - 1, at x, to 16 partial sums, which begin at zero; whole units go
  /// to their sums.
  void add(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials, F* block_sums) const;
  /// When everything was added.
  void finish(const Memory<F>& memory, const F* block_sums) const;
};

extern template struct ElementwiseSum<float>;
extern template struct ElementwiseSum<double>;

}  // namespace topos::engine
