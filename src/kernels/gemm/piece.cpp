#include "kernels/gemm/piece.hpp"

#include <algorithm>

namespace topos::kernels {
namespace {

Extent parts_of(Extent count, Extent most) { return (count + most - 1) / most; }

AxisOffsets from_index(const AxisOffsets& axis, Extent first) {
  return {axis.stride, axis.table ? axis.table + first : nullptr};
}
// What `from_index` leaves to the pointer.
Extent skipped(const AxisOffsets& axis, Extent first) { return axis.table ? 0 : first * axis.stride; }

template <class F>
class Multiplication {
 public:
  Multiplication(const GemmProblem& problem, const GemmBlocking<F>& blocking, const GemmPiece& piece,
                 const std::int64_t* a_offsets, const F* a, const F* b, const F* addend, F* c, F* scratch)
      : problem_(problem),
        blocking_(blocking),
        target_(*blocking.target),
        piece_(piece),
        a_offsets_(a_offsets),
        a_(a + problem.a_products(piece.product)),
        b_(b + problem.b_products(piece.product)),
        addend_(addend),
        c_(c + piece.product * problem.c_product_stride),
        packed_b_(scratch),
        packed_a_(scratch + blocking.packed_b) {}

  void run() {
    const Extent column_end = piece_.first_column + piece_.columns;
    const Extent depth_parts = parts_of(problem_.depth, blocking_.depth_block);
    for (first_column_ = piece_.first_column; first_column_ < column_end; first_column_ += columns_) {
      columns_ = std::min(blocking_.column_block, column_end - first_column_);
      for (Extent part = 0; part < depth_parts; ++part) {
        first_depth_ = problem_.depth * part / depth_parts;
        depth_ = problem_.depth * (part + 1) / depth_parts - first_depth_;
        pack_b();
        multiply_block();
      }
    }
  }

 private:
  // A panel that ends before its vectors do is packed in any case, so that tiles read whole vectors.
  bool packs(Extent width) const { return blocking_.packs_b || width % target_.lanes != 0; }

  void pack_b() {
    Panel<F> panel;
    panel.along = from_index(problem_.b_depth, first_depth_);
    panel.depth = depth_;
    panel.stride = blocking_.panel_columns();
    for (Extent column = 0; column < columns_; column += panel.stride) {
      panel.width = std::min(panel.stride, columns_ - column);
      if (!packs(panel.width)) continue;
      const Extent first = first_column_ + column;
      panel.from = b_ + skipped(problem_.b_depth, first_depth_) + skipped(problem_.b_columns, first);
      panel.across = from_index(problem_.b_columns, first);
      panel.to = packed_b_ + (blocking_.packs_b ? column * depth_ : 0);
      target_.pack(panel);
    }
  }

  /// Puts some rows of A into `tile`; the functions that go with them.
  const GemmTarget<F>::Functions& select_rows(Extent first, Extent rows, Tile<F>& tile, const F** pointers) {
    const F* a = a_ + skipped(problem_.a_depth, first_depth_);
    if (!blocking_.packs_a) {
      for (Extent row = 0; row < rows; ++row) pointers[row] = a + problem_.a_rows(first + row);
      tile.a_rows = pointers;
      tile.a_offsets = problem_.a_depth.table ? problem_.a_depth.table + first_depth_ : a_offsets_;
      return target_.scattered;
    }
    Panel<F> panel;
    panel.from = a + skipped(problem_.a_rows, first);
    panel.across = from_index(problem_.a_rows, first);
    panel.width = rows;
    panel.along = from_index(problem_.a_depth, first_depth_);
    panel.depth = depth_;
    panel.to = packed_a_;
    panel.stride = rows;
    target_.pack(panel);
    tile.a_panel = packed_a_;
    return target_.packed;
  }

  // The rows of one tile stay in the first level of cache, the block of B in the second.
  void multiply_block() {
    const F* pointers[max_tile_rows];
    Tile<F> tile;
    tile.c_stride = problem_.c_row_stride;
    tile.depth = depth_;
    tile.continues = first_depth_ > 0;
    const Extent tiles = parts_of(piece_.rows, blocking_.tile_rows);
    for (Extent i = 0; i < tiles; ++i) {
      const Extent first = piece_.first_row + piece_.rows * i / tiles;
      const Extent rows = piece_.first_row + piece_.rows * (i + 1) / tiles - first;
      const auto& functions = select_rows(first, rows, tile, pointers);
      for (Extent column = 0; column < columns_; column += blocking_.panel_columns()) {
        const Extent width = std::min(blocking_.panel_columns(), columns_ - column);
        const bool wide = width > target_.lanes;
        if (packs(width)) {
          tile.b = packed_b_ + (blocking_.packs_b ? column * depth_ : 0);
          tile.b_stride = blocking_.panel_columns();
        } else {
          tile.b = b_ + first_depth_ * problem_.b_depth.stride + first_column_ + column;
          tile.b_stride = problem_.b_depth.stride;
        }
        if (addend_ && first_depth_ + depth_ == problem_.depth)
          tile.addend = addend_ + first_column_ + column;
        tile.c = c_ + first * problem_.c_row_stride + first_column_ + column;
        tile.last_columns = static_cast<std::size_t>(wide ? width - target_.lanes : width);
        functions[wide ? 1 : 0][rows - 1](tile);
      }
    }
  }

  const GemmProblem& problem_;
  const GemmBlocking<F>& blocking_;
  const GemmTarget<F>& target_;
  const GemmPiece& piece_;
  const std::int64_t* a_offsets_;
  const F* a_;
  const F* b_;
  const F* addend_;
  F* c_;
  F* packed_b_;
  F* packed_a_;
  // the block at hand
  Extent first_column_ = 0;
  Extent columns_ = 0;
  Extent first_depth_ = 0;
  Extent depth_ = 0;
};

}  // namespace

template <class F>
void multiply_piece(const GemmProblem& problem, const GemmBlocking<F>& blocking, const GemmPiece& piece,
                    const std::int64_t* a_offsets, const F* a, const F* b, const F* addend, F* c,
                    F* scratch) {
  if (problem.depth == 0) {
    F* row = c + piece.product * problem.c_product_stride + piece.first_row * problem.c_row_stride;
    for (Extent i = 0; i < piece.rows; ++i, row += problem.c_row_stride) {
      for (Extent column = piece.first_column; column < piece.first_column + piece.columns; ++column)
        row[column] = addend ? F(0) + addend[column] : F(0);
    }
    return;
  }
  Multiplication<F>(problem, blocking, piece, a_offsets, a, b, addend, c, scratch).run();
}

template void multiply_piece(const GemmProblem&, const GemmBlocking<float>&, const GemmPiece&,
                             const std::int64_t*, const float*, const float*, const float*, float*, float*);
template void multiply_piece(const GemmProblem&, const GemmBlocking<double>&, const GemmPiece&,
                             const std::int64_t*, const double*, const double*, const double*, double*,
                             double*);

}  // namespace topos::kernels
