// Packing for the matrix product, for one instruction set at a time: operands are copied as the tiles read
// them.
#if defined(TOPOS_KERNELS_GEMM_PACK_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_GEMM_PACK_HPP
#undef TOPOS_KERNELS_GEMM_PACK_HPP
#else
#define TOPOS_KERNELS_GEMM_PACK_HPP
#endif

#include <algorithm>

#include "kernels/gemm/target.hpp"
#include "kernels/load_first.hpp"
#include "kernels/simd.hpp"
#include "kernels/transpose.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// The panel's indices from `first`, `width` neighbours in memory, for every depth index.
template <class F>
void pack_neighbours(const Panel<F>& panel, const F* from, Extent first, Extent width) {
  const hn::ScalableTag<F> d;
  constexpr Extent lanes = HWY_LANES(F);
  const Extent whole = (width - 1) / lanes * lanes;
  const std::size_t last = static_cast<std::size_t>(width - whole);
  const auto mask = hn::FirstN(d, last);
  F* to = panel.to + first;
  for (Extent k = 0; k < panel.depth; ++k, to += panel.stride) {
    const F* source = from + panel.along(k);
    for (Extent i = 0; i < whole; i += lanes) hn::StoreU(hn::LoadU(d, source + i), d, to + i);
    hn::BlendedStore(load_first(d, source + whole, mask, last), mask, d, to + whole);
  }
}

/// Whole vectors of zeros after the panel's width: what tiles read there is not stored, but must not be slow.
template <class F>
void pack_zeros(const Panel<F>& panel) {
  const hn::ScalableTag<F> d;
  constexpr Extent lanes = HWY_LANES(F);
  const Extent first = panel.width / lanes * lanes;
  const Extent end = std::min(panel.stride, (panel.width + lanes - 1) / lanes * lanes);
  for (Extent k = 0; k < panel.depth; ++k) {
    for (Extent i = first; i < end; i += lanes) hn::StoreU(hn::Zero(d), d, panel.to + k * panel.stride + i);
  }
}

template <class F>
void pack_one_by_one(const Panel<F>& panel, const std::int64_t* across, Extent first, Extent end) {
  for (Extent k = first; k < end; ++k) {
    const F* source = panel.from + panel.along(k);
    F* to = panel.to + k * panel.stride;
    for (Extent i = 0; i < panel.width; ++i) to[i] = source[across[i]];
  }
}

#if HWY_TARGET != HWY_SCALAR
/// The depth indices from `first`, `depth` neighbours in memory. A remainder is packed together with what
/// lies before it: writing the same twice is cheaper than a loop.
template <class F>
void pack_transposed(const Panel<F>& panel, const std::int64_t* across, Extent first, Extent depth) {
  constexpr Extent rows = transpose_rows<F>;
  constexpr Extent step = transpose_depth<F>;
  const F* from = panel.from + panel.along(first);
  F* to = panel.to + first * panel.stride;
  for (Extent k = 0; k < depth; k += step) {
    if (k + step > depth) k = depth - step;
    for (Extent i = 0; i < panel.width; i += rows) {
      if (i + rows > panel.width) i = panel.width - rows;
      transpose(from + k, across + i, to + k * panel.stride + i, panel.stride);
    }
  }
}
#endif

/// Where the offsets from `first` on stop being neighbours.
inline Extent run_end(const AxisOffsets& axis, Extent first, Extent end) {
  if (!axis.table) return axis.stride == 1 ? end : first + 1;
  Extent i = first + 1;
  while (i < end && axis.table[i] == axis.table[i - 1] + 1) ++i;
  return i;
}

template <class F>
void pack_panel(const Panel<F>& panel) {
  std::int64_t across[max_panel_width];
  Extent runs = 0;
  for (Extent i = 0; i < panel.width; ++i) {
    across[i] = panel.across(i);
    if (i == 0 || across[i] != across[i - 1] + 1) ++runs;
  }
  if (panel.width < panel.stride) pack_zeros(panel);
  if (runs == 1 || runs * 4 <= panel.width) {
    for (Extent i = 0, end = 0; i < panel.width; i = end) {
      end = run_end(AxisOffsets{0, across}, i, panel.width);
      pack_neighbours(panel, panel.from + across[i], i, end - i);
    }
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  if (panel.width >= transpose_rows<F>) {
    for (Extent k = 0, end = 0; k < panel.depth; k = end) {
      end = run_end(panel.along, k, panel.depth);
      if (end - k >= transpose_depth<F>) {
        pack_transposed(panel, across, k, end - k);
      } else {
        pack_one_by_one(panel, across, k, end);
      }
    }
    return;
  }
#endif
  pack_one_by_one(panel, across, 0, panel.depth);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
