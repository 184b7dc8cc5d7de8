// The inner loops that move and add rows, elected once a call for the instruction set in use.
#pragma once

#include <cstdint>

#include "kernels/reduce.hpp"

namespace topos::kernels {

template <class F>
struct RowKernels {
  /// out[i] = row indices[i] of the table, i < count.
  void (*gather)(const F* table, const std::int64_t* indices, Extent count, Extent row, F* out);
  /// Columns first ... first + width - 1 of rows begin ... end - 1 of a scatter's result.
  void (*scatter)(const F* gradient, const std::int64_t* indices, Extent count, Extent row, Extent begin,
                  Extent end, Extent first, Extent width, F* out);
};

template <class F>
const RowKernels<F>& row_kernels();

template <class F>
struct FoldKernels {
  /// Inner positions first ... first + width - 1 of one of the outer slices of a fold.
  void (*slice)(const F* x, const FoldShape& shape, Extent first, Extent width, F* out);
};

template <class F>
const FoldKernels<F>& fold_kernels();

template <class F>
struct CopyKernels {
  /// `rows` runs of `count` elements, one after the other at `out`: element i of run r is x[r * row_stride +
  /// i * stride].
  void (*runs)(const F* x, Extent row_stride, Extent stride, Extent rows, Extent count, F* out);
  /// out[i * out_stride + j] = x[i + j * stride], i < rows, j < columns.
  void (*transpose)(const F* x, Extent stride, Extent rows, Extent columns, F* out, Extent out_stride);
};

template <class F>
const CopyKernels<F>& copy_kernels();

}  // namespace topos::kernels
