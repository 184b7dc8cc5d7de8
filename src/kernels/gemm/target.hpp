// What the matrix product takes from one instruction set: tiles of C and the packing of operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm.hpp"

namespace topos::kernels {

inline constexpr Extent max_tile_rows = 14;

/// One tile of C: some rows x (whole vectors and last_columns more), over `depth` depth indices.
template <class F>
struct Tile {
  const F* a_panel = nullptr;               ///< A packed: the rows side by side; or
  const F* const* a_rows = nullptr;         ///< A where it lies: a pointer for every row and
  const std::int64_t* a_offsets = nullptr;  ///< an offset for every depth index
  const F* b = nullptr;                     ///< its columns are contiguous
  Extent b_stride = 0;                      ///< from one depth index to the next
  F* c = nullptr;
  Extent c_stride = 0;
  Extent depth = 0;
  std::size_t last_columns = 0;  ///< columns in the last vector: 1 ... lanes
  bool continues = false;        ///< C holds the sums over the depth before this
  const F* addend = nullptr;     ///< a row that is added to each row of C at the end
};

/// Up to max_panel_width rows of A, or columns of B, to be laid side by side: to[k * stride + i] for index i
/// across the panel and depth index k. The offsets of both axes start at the panel.
template <class F>
struct Panel {
  const F* from = nullptr;
  AxisOffsets across;
  Extent width = 0;
  AxisOffsets along;
  Extent depth = 0;
  F* to = nullptr;
  Extent stride = 0;
};
inline constexpr Extent max_panel_width = 32;  ///< two vectors of columns

template <class F>
struct GemmTarget {
  using TileFunction = void (*)(const Tile<F>&);
  using Functions = const TileFunction* [2];  ///< [vectors of columns - 1][rows - 1]
  const char* name = nullptr;                 ///< "avx512"
  Extent lanes = 0;                           ///< elements in a vector
  Extent tile_rows = 0;      ///< the most rows of a tile; a tile has one or two vectors of columns
  Functions packed = {};     ///< A packed
  Functions scattered = {};  ///< A where it lies
  void (*pack)(const Panel<F>&) = nullptr;
};

/// For the instruction set in use. F: float, double.
template <class F>
const GemmTarget<F>& gemm_target();
template <>
const GemmTarget<float>& gemm_target();
template <>
const GemmTarget<double>& gemm_target();

}  // namespace topos::kernels
