#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/norm_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include "kernels/map.hpp"
#include "kernels/norm/norm_kernels.hpp"
#include "kernels/quotient.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/partial_sums.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <Extent together, class F>
HWY_INLINE void add_some_squares(const F* x, Extent stride, Extent count, const F* means, F* partials) {
  const typename Partials<F>::D d;
  hn::Vec<typename Partials<F>::D> mean[together];
  HWY_UNROLL(4)
  for (Extent r = 0; r < together; ++r) mean[r] = hn::Set(d, means[r]);
  add_some_runs<together>(x, stride, count, partials, [&](Extent r, auto element) HWY_ATTR {
    const auto centered = hn::Sub(element, mean[r]);
    return hn::Mul(centered, centered);
  });
}

template <class F>
void add_squares_of_runs(const F* x, Extent runs, Extent stride, Extent count, const F* means, F* partials) {
  if (runs == most_runs) return add_some_squares<most_runs>(x, stride, count, means, partials);
  for (Extent r = 0; r < runs; ++r)
    add_some_squares<1>(x + r * stride, stride, count, means + r, partials + r * partial_sums);
}

/// What a vector of elements is normalized by.
template <class V>
struct Normalizer {
  V mean, deviation, reciprocal, scale, shift;

  template <class D>
  HWY_INLINE V operator()(D d, V x) const {
    const V standard = quotient(d, hn::Sub(x, mean), deviation, reciprocal);
    return hn::Add(hn::Mul(standard, scale), shift);
  }
};

template <class F>
void normalize_runs(const F* x, Extent runs, Extent stride, Extent count, const F* means, const F* deviations,
                    NormScale by, const F* scale, const F* shift, F* out) {
  const Whole<F> d;
  for (Extent r = 0; r < runs; ++r, x += stride, out += stride) {
    Normalizer<hn::Vec<Whole<F>>> normalizer{hn::Set(d, means[r]), hn::Set(d, deviations[r]),
                                             hn::Set(d, reciprocal_of(deviations[r])), hn::Zero(d),
                                             hn::Zero(d)};
    const bool by_group = by == NormScale::of_group;
    if (by_group) {
      normalizer.scale = hn::Set(d, scale[r]);
      normalizer.shift = hn::Set(d, shift[r]);
    }
    for_vectors(d, count, [&](Extent i, auto lanes) HWY_ATTR {
      if (!by_group) {
        normalizer.scale = lanes.load(scale + i);
        normalizer.shift = lanes.load(shift + i);
      }
      lanes.store(normalizer(d, lanes.load(x + i)), out + i);
    });
  }
}

template <class F>
void add_squares_of_columns(const F* x, Extent rows, Extent width, const F* means, F* sums) {
  const Whole<F> d;
  for (Extent i = 0; i < rows; ++i, x += width, sums += width) {
    for_vectors(d, width, [&](Extent k, auto lanes) HWY_ATTR {
      const auto centered = hn::Sub(lanes.load(x + k), lanes.load(means + k));
      lanes.store(hn::Add(lanes.load(sums + k), hn::Mul(centered, centered)), sums + k);
    });
  }
}

template <class F>
void normalize_columns(const F* x, Extent rows, Extent width, const F* means, const F* deviations,
                       const F* reciprocals, const F* scale, const F* shift, F* out) {
  const Whole<F> d;
  for (Extent i = 0; i < rows; ++i, x += width, out += width) {
    for_vectors(d, width, [&](Extent k, auto lanes) HWY_ATTR {
      const Normalizer<hn::Vec<Whole<F>>> normalizer{lanes.load(means + k), lanes.load(deviations + k),
                                                     lanes.load(reciprocals + k), lanes.load(scale + k),
                                                     lanes.load(shift + k)};
      lanes.store(normalizer(d, lanes.load(x + k)), out + k);
    });
  }
}

template <class F>
inline constexpr NormKernels<F> kernels_of_norms{&add_squares_of_runs<F>, &normalize_runs<F>,
                                                 &add_squares_of_columns<F>, &normalize_columns<F>};
const NormKernels<float>* float_norms() { return &kernels_of_norms<float>; }
const NormKernels<double>* double_norms() { return &kernels_of_norms<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_norms);
HWY_EXPORT(double_norms);

template <>
const NormKernels<float>& norm_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_norms)();
}
template <>
const NormKernels<double>& norm_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_norms)();
}

}  // namespace topos::kernels
#endif
