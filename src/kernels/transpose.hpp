// Transposing copies, for one instruction set at a time.
#if defined(TOPOS_KERNELS_TRANSPOSE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_TRANSPOSE_HPP
#undef TOPOS_KERNELS_TRANSPOSE_HPP
#else
#define TOPOS_KERNELS_TRANSPOSE_HPP
#endif

#include <cstdint>

#include "kernels/simd.hpp"
#include "topos/tensor/shape.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR  // one lane has nothing to shuffle

// As many rows as a 16-byte block has lanes, half a cache line of each, stored block by block: the shuffles
// stay within blocks, where they are cheap.
template <class F>
inline constexpr Extent transpose_rows = 16 / sizeof(F);
template <class F>
inline constexpr Extent transpose_depth = (HWY_MAX_BYTES >= 32 ? 32 : 16) / sizeof(F);
template <class F>
using TransposeTag = hn::CappedTag<F, static_cast<std::size_t>(transpose_depth<F>)>;

/// The blocks of `v`, `next` elements apart.
template <class F>
HWY_INLINE void store_blocks(hn::Vec<TransposeTag<F>> v, F* to, [[maybe_unused]] Extent next) {
#if HWY_MAX_BYTES >= 32
  const hn::Half<TransposeTag<F>> half;
  hn::StoreU(hn::LowerHalf(half, v), half, to);
  hn::StoreU(hn::UpperHalf(half, v), half, to + next);
#else
  hn::StoreU(v, TransposeTag<F>(), to);
#endif
}

/// to[k * stride + i] = from[offsets[i] + k], i < transpose_rows, k < transpose_depth.
template <class F>
HWY_INLINE void transpose(const F* from, const std::int64_t* offsets, F* to, Extent stride) {
  const TransposeTag<F> d;
  const auto row0 = hn::LoadU(d, from + offsets[0]);
  const auto row1 = hn::LoadU(d, from + offsets[1]);
  if constexpr (transpose_rows<F> == 2) {
    store_blocks<F>(hn::InterleaveLower(d, row0, row1), to, 2 * stride);
    store_blocks<F>(hn::InterleaveUpper(d, row0, row1), to + stride, 2 * stride);
  } else {
    const auto row2 = hn::LoadU(d, from + offsets[2]);
    const auto row3 = hn::LoadU(d, from + offsets[3]);
    const auto even_low = hn::InterleaveLower(d, row0, row2);
    const auto odd_low = hn::InterleaveLower(d, row1, row3);
    const auto even_high = hn::InterleaveUpper(d, row0, row2);
    const auto odd_high = hn::InterleaveUpper(d, row1, row3);
    store_blocks<F>(hn::InterleaveLower(d, even_low, odd_low), to, 4 * stride);
    store_blocks<F>(hn::InterleaveUpper(d, even_low, odd_low), to + stride, 4 * stride);
    store_blocks<F>(hn::InterleaveLower(d, even_high, odd_high), to + 2 * stride, 4 * stride);
    store_blocks<F>(hn::InterleaveUpper(d, even_high, odd_high), to + 3 * stride, 4 * stride);
  }
}

#endif

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
