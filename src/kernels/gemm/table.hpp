// The table of one instruction set: a tile for every number of rows, packed or not, one or two vectors wide.
#if defined(TOPOS_KERNELS_GEMM_TABLE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_GEMM_TABLE_HPP
#undef TOPOS_KERNELS_GEMM_TABLE_HPP
#else
#define TOPOS_KERNELS_GEMM_TABLE_HPP
#endif

#include <array>
#include <utility>

#include "kernels/gemm/pack.hpp"
#include "kernels/gemm/tile.hpp"

// Highway's own names are of no use to a reader of describe().
#undef TOPOS_KERNELS_GEMM_TARGET
#if HWY_TARGET == HWY_AVX3
#define TOPOS_KERNELS_GEMM_TARGET "avx512"
#elif HWY_TARGET == HWY_AVX2
#define TOPOS_KERNELS_GEMM_TARGET "avx2"
#elif HWY_TARGET == HWY_SSE4
#define TOPOS_KERNELS_GEMM_TARGET "sse4"
#elif HWY_TARGET == HWY_NEON
#define TOPOS_KERNELS_GEMM_TARGET "neon"
#else
#define TOPOS_KERNELS_GEMM_TARGET "scalar"
#endif

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <class F, std::size_t vectors, template <class, std::size_t> class Rows, std::size_t... row>
constexpr std::array<typename GemmTarget<F>::TileFunction, tile_rows> tiles(std::index_sequence<row...>) {
  return {&TileKernel<F, row + 1, vectors, Rows>::run...};
}

template <class F, std::size_t vectors, template <class, std::size_t> class Rows>
inline constexpr auto tiles_of = tiles<F, vectors, Rows>(std::make_index_sequence<tile_rows>());

template <class F>
inline constexpr GemmTarget<F> target_of = {
    TOPOS_KERNELS_GEMM_TARGET,
    HWY_LANES(F),
    tile_rows,
    {tiles_of<F, 1, PackedRows>.data(), tiles_of<F, 2, PackedRows>.data()},
    {tiles_of<F, 1, ScatteredRows>.data(), tiles_of<F, 2, ScatteredRows>.data()},
    &pack_panel<F>,
};

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
