// The partial sums of columns, as rows.
#pragma once

#include "kernels/reduce/block_sums.hpp"

namespace topos::kernels {

/// The contract's partial sums of the columns of [rows, width]: row i goes to partial sum i mod 16 of its
/// block of 4096 rows, so that they are 16 rows for each block. Rows that differ in i mod 16 may be added by
/// different threads.
template <class F>
class ColumnPartials {
 public:
  /// `memory` has elements(rows, width) elements.
  ColumnPartials(Extent rows, Extent width, F* memory) : rows_(rows), width_(width), memory_(memory) {}
  static Extent elements(Extent rows, Extent width) {
    return ((rows - 1) / sum_block + 1) * partial_sums * width;
  }

  /// Where elements start ... start + count - 1 of the rows are added, of 16 rows that begin at a multiple of
  /// 16; zeroed if they are the first there.
  F* at(Extent start, Extent count);
  /// at(start, count) += x; any count.
  void add(const F* x, Extent start, Extent count);
  /// The columns' sums; the partial sums are lost.
  void fold(F* out);

 private:
  Extent rows_, width_;
  F* memory_;
};

extern template class ColumnPartials<float>;
extern template class ColumnPartials<double>;

}  // namespace topos::kernels
