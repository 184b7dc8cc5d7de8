// Normalization: (x - mean) / sqrt(variance + epsilon) scale + shift, with the statistics of x itself.
#pragma once

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// x is [outer, groups, inner], contiguous; each group is normalized by its own elements, taken in row-major
/// order. With inner 1 a group is a column, with outer 1 a row; else inner is a multiple of 16.
struct NormShape {
  Extent outer = 1, groups = 0, inner = 1;

  bool is_supported() const { return outer == 1 || inner == 1 || inner % 16 == 0; }
};

/// What a group's elements are scaled and shifted by.
enum class NormScale {
  of_group,     ///< scale[group]
  of_position,  ///< scale[position in the group]; outer must be 1
};

template <class F>
struct NormOperands {
  const F* x;
  const F* scale;
  const F* shift;
  F epsilon;
};

/// Elements of scratch memory that normalize() needs.
template <class F>
std::size_t norm_scratch(const NormShape& shape);

/// mean and variance (the mean squared deviation) are [groups], null where they are not wanted. Each
/// operation rounds as it would alone: sums by the rule of docs/arithmetic.md, then quotients by the count.
/// F: float, double.
template <class F>
void normalize(const NormOperands<F>& operands, const NormShape& shape, NormScale scale, F* mean, F* variance,
               F* out, F* scratch, ThreadPool& pool);

}  // namespace topos::kernels
