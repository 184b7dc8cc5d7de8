// The 16 partial sums of the contract and their tree, for one instruction set at a time.
#if defined(TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#undef TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#else
#define TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#endif

#include "kernels/reduce/block_sums.hpp"
#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// Lane 0 of the tree (8, 4, 2, 1) over 16 values, each asked for when it is due.
template <class D, class Get, Extent lane = 0, Extent step = 1>
HWY_INLINE hn::Vec<D> fold_tree(D d, const Get& get) {
  if constexpr (step == partial_sums) {
    return get(lane);
  } else {
    return hn::Add(fold_tree<D, Get, lane, 2 * step>(d, get),
                   fold_tree<D, Get, lane + step, 2 * step>(d, get));
  }
}

/// The same tree over the lanes of a vector.
template <class D>
HWY_INLINE hn::TFromD<D> fold_lanes([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR  // where a vector has no halves
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return fold_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

/// 16 partial sums in as few vectors as that takes.
template <class F>
struct Partials {
  using D = hn::CappedTag<F, static_cast<std::size_t>(partial_sums)>;
  static constexpr Extent lanes = hn::MaxLanes(D());
  static constexpr Extent vectors = partial_sums / lanes;
};

/// The fold of 16 partial sums, which it changes.
template <class F>
HWY_INLINE F fold_partials(hn::Vec<typename Partials<F>::D> (&sums)[Partials<F>::vectors]) {
  HWY_UNROLL(4)
  for (Extent half = Partials<F>::vectors / 2; half > 0; half /= 2) {
    HWY_UNROLL(8)
    for (Extent v = 0; v < half; ++v) sums[v] = hn::Add(sums[v], sums[v + half]);
  }
  return fold_lanes(typename Partials<F>::D(), sums[0]);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
