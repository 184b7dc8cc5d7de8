// The functions that select, over the lanes of any vector. For one instruction set at a time, as simd.hpp.
#if defined(TOPOS_KERNELS_MAP_SELECTION_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_MAP_SELECTION_HPP
#undef TOPOS_KERNELS_MAP_SELECTION_HPP
#else
#define TOPOS_KERNELS_MAP_SELECTION_HPP
#endif

#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// Of equal operands, zeros of both signs among them, their common bits.
template <class V>
HWY_INLINE V maximum(V a, V b) {
  const V larger = hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
  return hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), larger);
}

/// 1 where a >= b, else 0.
template <class D, class V>
HWY_INLINE V step(D d, V a, V b) {
  return hn::IfThenElseZero(hn::Ge(a, b), hn::Set(d, hn::TFromD<D>{1}));
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
