#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/softmax_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include <limits>

#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/partial_vector.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// combine() of the elements of a row, of each in a few chains, which do not wait for each other.
template <class F, class V, class Combine>
HWY_INLINE V combined_row(const F* row, Extent extent, V none, const Combine& combine) {
  const Whole<F> d;
  constexpr Extent chains = 4;
  const auto lanes = static_cast<Extent>(hn::Lanes(d));
  V all[chains] = {none, none, none, none};
  Extent i = 0;
  for (; i + chains * lanes <= extent; i += chains * lanes) {
    HWY_UNROLL(4)
    for (Extent c = 0; c < chains; ++c) all[c] = combine(all[c], hn::LoadU(d, row + i + c * lanes));
  }
  for_vectors(d, extent - i, [&](Extent k, auto some) HWY_ATTR {
    all[0] = combine(all[0], some.load_or(none, row + i + k));
  });
  return combine(combine(all[0], all[1]), combine(all[2], all[3]));
}

// The processor's maximum may lose a NaN, and of zeros of either sign gives any. Neither shows in a result: a
// NaN makes its line's sum NaN; a maximum of zero keeps its sign if it is the only one, and two of them make
// the sum at least 2, so that its logarithm is not zero and the sign of a zero beside it is lost.
template <class F>
F maximum_of_row(const F* row, Extent extent) {
  const Whole<F> d;
  const auto none = hn::Set(d, -std::numeric_limits<F>::infinity());
  const auto larger = [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); };
  return hn::GetLane(hn::MaxOfLanes(d, combined_row(row, extent, none, larger)));
}

template <class F>
F minimum_of_row(const F* row, Extent extent) {
  const Whole<F> d;
  const auto none = hn::Set(d, std::numeric_limits<F>::infinity());
  const auto smaller = [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); };
  return hn::GetLane(hn::MinOfLanes(d, combined_row(row, extent, none, smaller)));
}

template <class F>
void extremes_of_rows(const F* x, Extent rows, Extent extent, F* peaks, F* least) {
  for (Extent r = 0; r < rows; ++r, x += extent) {
    peaks[r] = maximum_of_row(x, extent);
    if (least) least[r] = minimum_of_row(x, extent);  // of what the first cache has now
  }
}

template <class F>
void center_rows(const F* x, Extent rows, Extent extent, const F* shifts, F* out) {
  const Whole<F> d;
  for (Extent r = 0; r < rows; ++r) {
    const auto shift = hn::Set(d, shifts[r]);
    const F* const from = x + r * extent;
    F* const to = out + r * extent;
    for_vectors(d, extent, [&](Extent i, auto lanes) HWY_ATTR {
      lanes.store(hn::Sub(lanes.load(from + i), shift), to + i);
    });
  }
}

template <class F>
void normalize_rows(const F* x, Extent rows, Extent extent, const F* shifts, const F* totals, F* out) {
  const Whole<F> d;
  for (Extent r = 0; r < rows; ++r) {
    const auto shift = hn::Set(d, shifts[r]);
    const auto total = hn::Set(d, totals[r]);
    const F* const from = x + r * extent;
    F* const to = out + r * extent;
    for_vectors(d, extent, [&](Extent i, auto lanes) HWY_ATTR {
      lanes.store(hn::Sub(hn::Sub(lanes.load(from + i), shift), total), to + i);
    });
  }
}

template <class F>
void maximum_columns(const F* x, Extent rows, Extent stride, Extent width, F* peaks) {
  for (Extent r = 0; r < rows; ++r) {
    const F* const from = x + r * stride;
    for_vectors(Whole<F>(), width, [&](Extent k, auto lanes) HWY_ATTR {
      lanes.store(hn::Max(lanes.load(peaks + k), lanes.load(from + k)), peaks + k);
    });
  }
}

template <class F>
void center_columns(const F* x, Extent rows, Extent stride, Extent width, const F* shifts, F* out) {
  for (Extent r = 0; r < rows; ++r) {
    const F* const from = x + r * stride;
    F* const to = out + r * width;
    for_vectors(Whole<F>(), width, [&](Extent k, auto lanes) HWY_ATTR {
      lanes.store(hn::Sub(lanes.load(from + k), lanes.load(shifts + k)), to + k);
    });
  }
}

template <class F>
void normalize_columns(const F* x, Extent rows, Extent stride, Extent width, const F* shifts, const F* totals,
                       F* out) {
  for (Extent r = 0; r < rows; ++r) {
    const F* const from = x + r * stride;
    F* const to = out + r * stride;
    for_vectors(Whole<F>(), width, [&](Extent k, auto lanes) HWY_ATTR {
      const auto centered = hn::Sub(lanes.load(from + k), lanes.load(shifts + k));
      lanes.store(hn::Sub(centered, lanes.load(totals + k)), to + k);
    });
  }
}

template <class F>
inline constexpr SoftmaxKernels<F> kernels_of_softmax{&extremes_of_rows<F>, &center_rows<F>,
                                                      &normalize_rows<F>,   &maximum_columns<F>,
                                                      &center_columns<F>,   &normalize_columns<F>};
const SoftmaxKernels<float>* float_softmax() { return &kernels_of_softmax<float>; }
const SoftmaxKernels<double>* double_softmax() { return &kernels_of_softmax<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_softmax);
HWY_EXPORT(double_softmax);

template <>
const SoftmaxKernels<float>& softmax_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_softmax)();
}
template <>
const SoftmaxKernels<double>& softmax_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_softmax)();
}

}  // namespace topos::kernels
#endif
