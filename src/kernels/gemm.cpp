#include "kernels/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/gemm/piece.hpp"

namespace topos::kernels {
namespace {

constexpr Extent line_bytes = 64;

template <class F>
Extent whole_lines(Extent elements) {
  constexpr Extent line = line_bytes / static_cast<Extent>(sizeof(F));
  return (elements + line - 1) / line * line;
}

// Measured with caches of 48 KiB and 2 MiB, where half of the larger holds a block of B.
constexpr Extent block_bytes = 1 << 20;
constexpr Extent depth_block = 512;
// Lines of memory so far apart share one set of the first cache, which keeps 12 of them.
constexpr Extent aliasing_bytes = 4096;
constexpr Extent aliasing_rows = 12;

/// B is packed where its columns are no neighbours, or where it is large and read often enough.
template <class F>
bool packs_b(const GemmProblem& problem, const GemmTarget<F>& target) {
  const bool in_place = !problem.b_depth.table && (problem.b_columns.is_contiguous() || problem.columns == 1);
  if (!in_place) return true;
  const Extent bytes = problem.depth * problem.columns * static_cast<Extent>(sizeof(F));
  return bytes > block_bytes / 2 && problem.rows > 4 * target.tile_rows && problem.columns > 8 * target.lanes;
}

/// Tiles read A well where it lies, one by one. It is packed where each depth index lies on lines of its own
/// and several panels of B share the cost.
template <class F>
bool packs_a(const GemmProblem& problem, const GemmTarget<F>& target) {
  if (problem.a_rows.table || problem.a_depth.table) return false;
  return problem.a_depth.stride * static_cast<Extent>(sizeof(F)) >= 512 && problem.columns > 6 * target.lanes;
}

template <class F>
GemmBlocking<F> elect(const GemmProblem& problem) {
  constexpr Extent size = sizeof(F);
  GemmBlocking<F> blocking;
  blocking.target = &gemm_target<F>();
  const GemmTarget<F>& target = *blocking.target;
  blocking.packs_a = packs_a(problem, target);
  blocking.packs_b = packs_b(problem, target);
  const bool aliases = !problem.a_rows.table && problem.a_rows.stride * size % aliasing_bytes == 0;
  blocking.tile_rows =
      aliases && !blocking.packs_a ? std::min(aliasing_rows, target.tile_rows) : target.tile_rows;
  blocking.depth_block = depth_block;
  const Extent panel = blocking.panel_columns();
  const Extent depth = std::clamp<Extent>(problem.depth, 1, depth_block);
  blocking.column_block = std::max<Extent>(block_bytes / (depth * size * panel), 1) * panel;
  const Extent columns = std::min((problem.columns + panel - 1) / panel * panel, blocking.column_block);
  if (blocking.packs_b) {
    blocking.packed_b = whole_lines<F>(depth * columns);
  } else if (problem.columns % target.lanes != 0) {
    blocking.packed_b = whole_lines<F>(depth * panel);
  }
  if (blocking.packs_a) blocking.packed_a = whole_lines<F>(depth * blocking.tile_rows);
  return blocking;
}

/// Multiply-adds of whole vectors, the unit of work.
template <class F>
Extent work_of(const GemmProblem& problem, const GemmBlocking<F>& blocking) {
  const Extent vectors = (problem.columns + blocking.target->lanes - 1) / blocking.target->lanes;
  return problem.products * problem.rows * vectors * problem.depth;
}

/// How each product is cut into row_parts x column_parts pieces.
struct Grid {
  Extent row_parts = 1;
  Extent column_parts = 1;
};

// Rows and columns are cut, never the depth: that would change the order of the sums. The cheapest grid is
// the one whose pieces have the least to multiply, and then the least to read.
Grid cut(const GemmProblem& problem, Extent pieces, Extent lanes, bool packs_b) {
  Grid best;
  double least = -1;
  for (Extent rows = 1; rows <= pieces; ++rows) {
    if (pieces % rows != 0) continue;
    const Extent columns = pieces / rows;
    const Extent height = (problem.rows + rows - 1) / rows;
    const Extent vectors = (problem.columns + lanes - 1) / lanes;
    const Extent width = (vectors + columns - 1) / columns;
    const double multiplied = static_cast<double>(height) * static_cast<double>(width);
    const double cost =
        multiplied + static_cast<double>(height) + static_cast<double>(width * lanes) / (packs_b ? 1 : 4);
    if (least < 0 || cost < least) {
      least = cost;
      best = {rows, columns};
    }
  }
  return best;
}

GemmPiece piece_of(const GemmProblem& problem, const Grid& grid, Extent index, Extent lanes) {
  const Extent column_part = index % grid.column_parts;
  const Extent row_part = index / grid.column_parts % grid.row_parts;
  GemmPiece piece;
  piece.product = index / (grid.column_parts * grid.row_parts);
  piece.first_row = problem.rows * row_part / grid.row_parts;
  piece.rows = problem.rows * (row_part + 1) / grid.row_parts - piece.first_row;
  const Extent vectors = (problem.columns + lanes - 1) / lanes;
  piece.first_column = vectors * column_part / grid.column_parts * lanes;
  piece.columns =
      std::min(vectors * (column_part + 1) / grid.column_parts * lanes, problem.columns) - piece.first_column;
  return piece;
}

}  // namespace

template <class F>
Gemm<F>::Gemm(const GemmProblem& problem)
    : problem_(problem), blocking_(std::make_shared<const GemmBlocking<F>>(elect<F>(problem))) {
  if (!blocking_->packs_a && !problem.a_depth.table) {
    a_offsets_.resize(static_cast<std::size_t>(std::min(problem.depth, blocking_->depth_block)));
    for (std::size_t k = 0; k < a_offsets_.size(); ++k) {
      a_offsets_[k] = static_cast<Extent>(k) * problem.a_depth.stride;
    }
  }
  const GemmTarget<F>& target = *blocking_->target;
  name_ = fmt::format("gemm f{} {}x{} {}", 8 * sizeof(F), blocking_->tile_rows, blocking_->panel_columns(),
                      target.name);
}

// Waking a thread costs a few microseconds: none for less than about five of work.
template <class F>
std::size_t Gemm<F>::tasks(std::size_t threads) const {
  constexpr Extent least_work = 32768;
  const Extent most = work_of(problem_, *blocking_) / least_work;
  return static_cast<std::size_t>(std::clamp<Extent>(most, 1, static_cast<Extent>(threads)));
}

template <class F>
std::size_t Gemm<F>::scratch_bytes(std::size_t threads) const {
  return tasks(threads) * static_cast<std::size_t>(blocking_->packed_a + blocking_->packed_b) * sizeof(F);
}

template <class F>
void Gemm<F>::run(const F* a, const F* b, F* c, std::byte* scratch, ThreadPool& pool,
                  const GemmAddend<F>& addend) const {
  const std::size_t count = tasks(pool.threads());
  const Extent parts = static_cast<Extent>(count);
  const Extent lanes = blocking_->target->lanes;
  // as few pieces as make the tasks equal, or nearly so where there are many products
  Grid grid;
  if (problem_.products < 8 * parts)
    grid = cut(problem_, parts / std::gcd(parts, problem_.products), lanes, blocking_->packs_b);
  const Extent pieces = problem_.products * grid.row_parts * grid.column_parts;
  auto task = [&](std::size_t index) {
    const Extent part = static_cast<Extent>(index);
    F* own = reinterpret_cast<F*>(scratch) + part * (blocking_->packed_a + blocking_->packed_b);
    for (Extent i = pieces * part / parts; i < pieces * (part + 1) / parts; ++i) {
      const GemmPiece piece = piece_of(problem_, grid, i, lanes);
      multiply_piece(problem_, *blocking_, piece, a_offsets_.data(), a, b, addend.row(piece.product), c, own);
    }
  };
  if (count == 1) return task(0);
  pool.run(count, task);
}

template <class F>
void Gemm<F>::run_alone(const F* a, const F* b, F* c, std::byte* scratch) const {
  GemmPiece piece;
  piece.rows = problem_.rows;
  piece.columns = problem_.columns;
  for (; piece.product < problem_.products; ++piece.product) {
    multiply_piece<F>(problem_, *blocking_, piece, a_offsets_.data(), a, b, nullptr, c,
                      reinterpret_cast<F*>(scratch));
  }
}

template class Gemm<float>;
template class Gemm<double>;

}  // namespace topos::kernels
