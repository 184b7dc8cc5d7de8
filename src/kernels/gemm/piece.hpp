// One thread's piece of a matrix product: blocks that fit the caches, packed where that pays.
#pragma once

#include "kernels/gemm/target.hpp"

namespace topos::kernels {

/// How a problem is cut and which operands are packed; elected once, the same for all its pieces.
template <class F>
struct GemmBlocking {
  const GemmTarget<F>* target = nullptr;
  bool packs_a = false;
  bool packs_b = false;
  Extent tile_rows = 0;
  Extent column_block = 0;  ///< whole panels of two vectors
  Extent depth_block = 0;
  Extent packed_b = 0;  ///< elements of scratch memory for a block of B,
  Extent packed_a = 0;  ///< and after it for the rows of one tile of A

  Extent panel_columns() const { return 2 * target->lanes; }
};

/// Some rows and columns of one product, over the whole depth.
struct GemmPiece {
  Extent product = 0;
  Extent first_row = 0;
  Extent rows = 0;
  Extent first_column = 0;
  Extent columns = 0;
};

/// addend: null, or a row for this product. a_offsets: A's offsets along one depth block, when A is not
/// packed and has no table for them.
template <class F>
void multiply_piece(const GemmProblem& problem, const GemmBlocking<F>& blocking, const GemmPiece& piece,
                    const std::int64_t* a_offsets, const F* a, const F* b, const F* addend, F* c, F* scratch);

}  // namespace topos::kernels
