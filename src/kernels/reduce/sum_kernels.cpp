#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/sum_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/partial_sums.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <Extent together, class F>
HWY_INLINE void sum_some_rows(const F* x, Extent stride, Extent count, F* out) {
  const typename Partials<F>::D d;
  RunSums<F, together> sums;
  for_run_sums<F, together>([&](Extent r, Extent v) HWY_ATTR { sums[r][v] = hn::Zero(d); });
  add_terms<together>(x, stride, count, [](Extent, auto element) HWY_ATTR { return element; }, sums);
  HWY_UNROLL(4)
  for (Extent r = 0; r < together; ++r) out[r] = fold_partials<F>(sums[r]);
}

template <class F>
void sum_rows(const F* x, Extent rows, Extent stride, Extent count, F* out) {
  Extent r = 0;
  for (; r + most_runs <= rows; r += most_runs)
    sum_some_rows<most_runs>(x + r * stride, stride, count, out + r);
  for (; r < rows; ++r) sum_some_rows<1>(x + r * stride, stride, count, out + r);
}

template <class F>
void add_runs(const F* x, Extent runs, Extent stride, Extent count, F* partials) {
  const auto itself = [](Extent, auto element) HWY_ATTR { return element; };
  if (runs == most_runs) return add_some_runs<most_runs>(x, stride, count, partials, itself);
  for (Extent r = 0; r < runs; ++r)
    add_some_runs<1>(x + r * stride, stride, count, partials + r * partial_sums, itself);
}

template <class F>
void fold_runs(const F* partials, Extent runs, F* out) {
  using P = Partials<F>;
  const typename P::D d;
  for (Extent r = 0; r < runs; ++r) {
    hn::Vec<typename P::D> sums[P::vectors];
    HWY_UNROLL(16)
    for (Extent v = 0; v < P::vectors; ++v)
      sums[v] = hn::LoadU(d, partials + r * partial_sums + v * P::lanes);
    out[r] = fold_partials<F>(sums);
  }
}

template <class F>
void add_columns(const F* x, Extent first, Extent rows, Extent stride, Extent width, F* partials) {
  add_terms_of_columns(x, first, rows, stride, width, partials,
                       [](Extent, const auto&, auto element) HWY_ATTR { return element; });
}

template <class F>
void fold_columns(const F* partials, Extent set, Extent width, F* out) {
  const Whole<F> d;
  for_vectors(d, width, [&](Extent k, auto lanes) HWY_ATTR {
    const auto partial = [&](Extent lane) HWY_ATTR {
      return lane < set ? hn::LoadU(d, partials + lane * strip_width<F> + k) : hn::Zero(d);
    };
    lanes.store(fold_tree(d, partial), out + k);
  });
}

template <class F>
void sum_columns(const F* x, Extent rows, Extent stride, Extent width, F* out) {
  const Whole<F> d;
  if (rows > partial_sums) {
    HWY_ALIGN F partials[partial_sums * strip_width<F>];
    add_columns(x, Extent{0}, rows, stride, width, partials);
    fold_columns(partials, partial_sums, width, out);
    return;
  }
  for_vectors(d, width, [&](Extent k, auto lanes) HWY_ATTR {
    const auto partial = [&](Extent i) HWY_ATTR {
      return i < rows ? hn::Add(hn::Zero(d), lanes.load(x + i * stride + k)) : hn::Zero(d);
    };
    lanes.store(fold_tree(d, partial), out + k);
  });
}

template <class F>
inline constexpr SumKernels<F> kernels_of_sums{&sum_rows<F>,     &sum_columns<F>, &add_columns<F>,
                                               &fold_columns<F>, &add_runs<F>,    &fold_runs<F>};
const SumKernels<float>* float_sums() { return &kernels_of_sums<float>; }
const SumKernels<double>* double_sums() { return &kernels_of_sums<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_sums);
HWY_EXPORT(double_sums);

template <>
const SumKernels<float>& sum_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_sums)();
}
template <>
const SumKernels<double>& sum_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_sums)();
}

}  // namespace topos::kernels
#endif
