// The innermost loop of the matrix product, for one instruction set at a time: a tile of C stays in registers
// while the depth passes by.
#if defined(TOPOS_KERNELS_GEMM_TILE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_GEMM_TILE_HPP
#undef TOPOS_KERNELS_GEMM_TILE_HPP
#else
#define TOPOS_KERNELS_GEMM_TILE_HPP
#endif

#include <cstddef>
#include <utility>

#include "kernels/gemm/target.hpp"
#include "kernels/load_first.hpp"
#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

// Registers decide the tile: rows * 2 accumulators, 2 of B, one broadcast of A.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr std::size_t tile_rows = 14;  // 32 registers
#elif HWY_TARGET <= HWY_AVX2
inline constexpr std::size_t tile_rows = 6;  // 16 registers
#else
inline constexpr std::size_t tile_rows = 2;  // the emulated multiply-add fills the registers
#endif
static_assert(tile_rows <= max_tile_rows);

/// A in a panel of its own: the rows of the tile side by side, one depth index after the other.
template <class F, std::size_t rows>
struct PackedRows {
  static constexpr Extent unroll = 4;
  const F* panel;
  explicit PackedRows(const Tile<F>& tile) : panel(tile.a_panel) {}
  template <std::size_t row>
  HWY_INLINE F at(Extent k) const {
    return panel[k * static_cast<Extent>(rows) + static_cast<Extent>(row)];
  }
};

/// A where it lies: a pointer for every row, an offset for every depth index.
template <class F, std::size_t rows>
struct ScatteredRows {
  static constexpr Extent unroll = 2;
  const F* const* row_at;
  const std::int64_t* offset_at;
  explicit ScatteredRows(const Tile<F>& tile) : row_at(tile.a_rows), offset_at(tile.a_offsets) {}
  template <std::size_t row>
  HWY_INLINE F at(Extent k) const {
    return row_at[row][offset_at[k]];
  }
};

template <class F, std::size_t rows, std::size_t vectors, template <class, std::size_t> class Rows>
class TileKernel {
  using D = hn::ScalableTag<F>;
  using V = hn::Vec<D>;
  using Accumulator = V[rows][vectors];
  using RowIndices = std::make_index_sequence<rows>;
  static constexpr Extent lanes = HWY_LANES(F);
  static constexpr Extent last = lanes * static_cast<Extent>(vectors - 1);  // the last vector's first column

 public:
  static void run(const Tile<F>& tile) {
    const Extent b_stride = tile.b_stride;
    const Extent depth = tile.depth;
    const F* b = tile.b;
    const Rows<F, rows> a(tile);
    const Output c(tile);
    Accumulator sums;
    if (tile.continues) {
      load(RowIndices(), c, sums);
    } else {
      clear(RowIndices(), sums);
    }
    constexpr Extent unroll = Rows<F, rows>::unroll;
    Extent k = 0;
    for (; k + unroll <= depth; k += unroll, b += unroll * b_stride) {
      step(a, k, b, sums);
      step(a, k + 1, b + b_stride, sums);
      if constexpr (unroll == 4) {
        step(a, k + 2, b + 2 * b_stride, sums);
        step(a, k + 3, b + 3 * b_stride, sums);
      }
    }
    for (; k < depth; ++k, b += b_stride) step(a, k, b, sums);
    if (tile.addend) add(RowIndices(), c, tile.addend, sums);
    store(RowIndices(), c, sums);
  }

 private:
  /// C, of which the last vector may be partly outside.
  struct Output {
    F* first;
    Extent stride;
    std::size_t last_columns;
    hn::Mask<D> mask;
    explicit Output(const Tile<F>& tile)
        : first(tile.c),
          stride(tile.c_stride),
          last_columns(tile.last_columns),
          mask(hn::FirstN(D(), tile.last_columns)) {}
    F* row(std::size_t index) const { return first + static_cast<Extent>(index) * stride; }
  };

  static HWY_INLINE void step(const Rows<F, rows>& a, Extent k, const F* b, Accumulator& sums) {
    V row_of_b[vectors];
    row_of_b[0] = hn::LoadU(D(), b);
    if constexpr (vectors == 2) row_of_b[1] = hn::LoadU(D(), b + lanes);
    multiply(RowIndices(), a, k, row_of_b, sums);
  }

  template <std::size_t... row>
  static HWY_INLINE void multiply(std::index_sequence<row...>, const Rows<F, rows>& a, Extent k,
                                  const V (&row_of_b)[vectors], Accumulator& sums) {
    (multiply_row(a.template at<row>(k), row_of_b, sums[row]), ...);
  }
  static HWY_INLINE void multiply_row(F scale, const V (&row_of_b)[vectors], V (&sums)[vectors]) {
    const D d;
    const V factor = hn::Set(d, scale);
    sums[0] = fused_multiply_add(d, factor, row_of_b[0], sums[0]);
    if constexpr (vectors == 2) sums[1] = fused_multiply_add(d, factor, row_of_b[1], sums[1]);
  }

  template <std::size_t... row>
  static HWY_INLINE void clear(std::index_sequence<row...>, Accumulator& sums) {
    (clear_row(sums[row]), ...);
  }
  static HWY_INLINE void clear_row(V (&sums)[vectors]) {
    sums[0] = hn::Zero(D());
    if constexpr (vectors == 2) sums[1] = hn::Zero(D());
  }

  template <std::size_t... row>
  static HWY_INLINE void load(std::index_sequence<row...>, const Output& c, Accumulator& sums) {
    (load_row(c, c.row(row), sums[row]), ...);
  }
  static HWY_INLINE void load_row(const Output& c, const F* from, V (&sums)[vectors]) {
    if constexpr (vectors == 2) sums[0] = hn::LoadU(D(), from);
    sums[vectors - 1] = load_first(D(), from + last, c.mask, c.last_columns);
  }

  template <std::size_t... row>
  static HWY_INLINE void add(std::index_sequence<row...>, const Output& c, const F* addend,
                             Accumulator& sums) {
    V terms[vectors];
    load_row(c, addend, terms);
    (add_row(terms, sums[row]), ...);
  }
  static HWY_INLINE void add_row(const V (&terms)[vectors], V (&sums)[vectors]) {
    sums[0] = hn::Add(sums[0], terms[0]);
    if constexpr (vectors == 2) sums[1] = hn::Add(sums[1], terms[1]);
  }

  template <std::size_t... row>
  static HWY_INLINE void store(std::index_sequence<row...>, const Output& c, const Accumulator& sums) {
    (store_row(c, sums[row], c.row(row)), ...);
  }
  static HWY_INLINE void store_row(const Output& c, const V (&sums)[vectors], F* to) {
    if constexpr (vectors == 2) hn::StoreU(sums[0], D(), to);
    hn::BlendedStore(sums[vectors - 1], c.mask, D(), to + last);
  }
};

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
