// Runs of elements as vectors and a last part of one, for one instruction set at a time.
#if defined(TOPOS_KERNELS_REDUCE_PARTIAL_VECTOR_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_REDUCE_PARTIAL_VECTOR_HPP
#undef TOPOS_KERNELS_REDUCE_PARTIAL_VECTOR_HPP
#else
#define TOPOS_KERNELS_REDUCE_PARTIAL_VECTOR_HPP
#endif

#include "kernels/load_first.hpp"
#include "kernels/simd.hpp"
#include "topos/tensor/shape.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <class F>
using Whole = hn::ScalableTag<F>;

/// All lanes of a vector.
template <class D>
struct AllLanes {
  using F = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static HWY_INLINE V load(const F* from) { return hn::LoadU(D(), from); }
  static HWY_INLINE V load_or(V, const F* from) { return hn::LoadU(D(), from); }
  static HWY_INLINE void store(V v, F* to) { hn::StoreU(v, D(), to); }
};

/// The first `count` lanes, at most all of them: memory past them is not touched.
template <class D>
class FirstLanes {
 public:
  using F = hn::TFromD<D>;
  using V = hn::Vec<D>;

  explicit HWY_INLINE FirstLanes(Extent count)
      : count_(static_cast<std::size_t>(count)), mask_(hn::FirstN(D(), count_)) {}

  /// Zero in the other lanes.
  HWY_INLINE V load(const F* from) const { return load_first(D(), from, mask_, count_); }
  /// `other` in the other lanes.
  HWY_INLINE V load_or(V other, const F* from) const { return hn::IfThenElse(mask_, load(from), other); }
  HWY_INLINE void store(V v, F* to) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(v, mask_, D(), to);
#else
    HWY_ALIGN F lanes[hn::MaxLanes(D())];
    hn::Store(v, D(), lanes);
    for (std::size_t i = 0; i < count_; ++i) to[i] = lanes[i];
#endif
  }

 private:
  std::size_t count_;
  hn::Mask<D> mask_;
};

/// body(i, lanes) for each vector of a run of `count`, the last one perhaps partial.
template <class D, class Body>
HWY_INLINE void for_vectors(D d, Extent count, const Body& body) {
  const auto lanes = static_cast<Extent>(hn::Lanes(d));
  Extent i = 0;
  for (; i + lanes <= count; i += lanes) body(i, AllLanes<D>());
  if (i < count) body(i, FirstLanes<D>(count - i));
}

template <class F>
HWY_INLINE void copy_run(const F* from, Extent count, F* to) {
  for_vectors(Whole<F>(), count,
              [&](Extent i, auto lanes) HWY_ATTR { lanes.store(lanes.load(from + i), to + i); });
}

template <class F>
HWY_INLINE void fill_run(F value, Extent count, F* to) {
  const auto all = hn::Set(Whole<F>(), value);
  for_vectors(Whole<F>(), count, [&](Extent i, auto lanes) HWY_ATTR { lanes.store(all, to + i); });
}

/// to[i] = to[i] + from[i]
template <class F>
HWY_INLINE void add_run(const F* from, Extent count, F* to) {
  for_vectors(Whole<F>(), count, [&](Extent i, auto lanes) HWY_ATTR {
    lanes.store(hn::Add(lanes.load(to + i), lanes.load(from + i)), to + i);
  });
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
