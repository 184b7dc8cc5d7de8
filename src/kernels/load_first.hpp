// Loads that end before their vector does, for one instruction set at a time.
#if defined(TOPOS_KERNELS_LOAD_FIRST_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_LOAD_FIRST_HPP
#undef TOPOS_KERNELS_LOAD_FIRST_HPP
#else
#define TOPOS_KERNELS_LOAD_FIRST_HPP
#endif

#include <cstddef>

#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// The first `count` lanes, which are those of `mask`, the others zero; touches nothing past them.
template <class D, class F = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const F* from, hn::Mask<D> mask, std::size_t count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  (void)count;
  return hn::MaskedLoad(mask, d, from);
#else
  // elsewhere a masked load may read, and fault, past the end
  (void)mask;
  HWY_ALIGN F lanes[HWY_LANES(F)] = {};
  for (std::size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#endif
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
