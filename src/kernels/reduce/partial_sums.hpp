// The 16 partial sums of the contract and their tree, for one instruction set at a time.
#if defined(TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#undef TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#else
#define TOPOS_KERNELS_REDUCE_PARTIAL_SUMS_HPP
#endif

#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/partial_vector.hpp"

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

/// The partial sums of `together` runs, whose chains of additions do not wait for each other.
template <class F, Extent together>
using RunSums = hn::Vec<typename Partials<F>::D>[together][Partials<F>::vectors];

/// Calls body(run, vector) for each of the vectors of RunSums.
template <class F, Extent together, class Body>
HWY_INLINE void for_run_sums(const Body& body) {
  HWY_UNROLL(4)
  for (Extent r = 0; r < together; ++r) {
    HWY_UNROLL(16)
    for (Extent v = 0; v < Partials<F>::vectors; ++v) body(r, v);
  }
}

/// Adds term(run, vector of x) to the sums. Partial sums are never -0, so that the zeros that fill up the
/// last vectors change none.
template <Extent together, class F, class Term>
HWY_INLINE void add_terms(const F* x, Extent stride, Extent count, const Term& term,
                          RunSums<F, together>& sums) {
  using P = Partials<F>;
  const typename P::D d;
  const Extent whole = count / partial_sums * partial_sums;
  for (Extent i = 0; i < whole; i += partial_sums) {
    for_run_sums<F, together>([&](Extent r, Extent v) HWY_ATTR {
      sums[r][v] = hn::Add(sums[r][v], term(r, hn::LoadU(d, x + r * stride + i + v * P::lanes)));
    });
  }
  HWY_UNROLL(16)
  for (Extent v = 0; v < P::vectors; ++v) {
    const Extent first = whole + v * P::lanes;
    if (first >= count) break;
    const Extent lanes = std::min(P::lanes, count - first);
    const FirstLanes<typename P::D> rest(lanes);
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(lanes));
    HWY_UNROLL(4)
    for (Extent r = 0; r < together; ++r) {
      const auto value = term(r, rest.load(x + r * stride + first));
      sums[r][v] = hn::Add(sums[r][v], hn::IfThenElseZero(mask, value));
    }
  }
}

/// The same to sums in memory, 16 for each run.
template <Extent together, class F, class Term>
HWY_INLINE void add_some_runs(const F* x, Extent stride, Extent count, F* partials, const Term& term) {
  using P = Partials<F>;
  const typename P::D d;
  const auto at = [&](Extent r, Extent v) { return partials + r * partial_sums + v * P::lanes; };
  RunSums<F, together> sums;
  for_run_sums<F, together>([&](Extent r, Extent v) HWY_ATTR { sums[r][v] = hn::LoadU(d, at(r, v)); });
  add_terms<together>(x, stride, count, term, sums);
  for_run_sums<F, together>([&](Extent r, Extent v) HWY_ATTR { hn::StoreU(sums[r][v], d, at(r, v)); });
}

/// Adds term(column, lanes, elements) of rows first ... first + rows - 1 to the partial sums of their
/// columns, rows of strip_width elements, which row 0 to 15 set.
template <class F, class Term>
HWY_INLINE void add_terms_of_columns(const F* x, Extent first, Extent rows, Extent stride, Extent width,
                                     F* partials, const Term& term) {
  const Whole<F> d;
  for (Extent i = 0; i < rows; ++i) {
    const F* const row = x + i * stride;
    F* const sums = partials + (first + i) % partial_sums * strip_width<F>;
    const bool is_first = first + i < partial_sums;
    for_vectors(d, width, [&](Extent k, auto lanes) HWY_ATTR {
      const auto before = is_first ? hn::Zero(d) : hn::LoadU(d, sums + k);
      hn::StoreU(hn::Add(before, term(k, lanes, lanes.load(row + k))), d, sums + k);
    });
  }
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
