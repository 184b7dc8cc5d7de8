#include "kernels/norm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/map.hpp"
#include "kernels/norm/norm_kernels.hpp"
#include "kernels/reduce/column_partials.hpp"
#include "kernels/reduce/line_kernels.hpp"
#include "kernels/reduce/run_groups.hpp"

namespace topos::kernels {
namespace {

/// From the sums of x, by `sum`, and of its squared distances from the mean, by `sum_squares`.
template <class F, class Sum, class SumSquares>
void find_statistics(Extent groups, Extent count, F epsilon, F* mean, F* variance, F* deviation,
                     const Sum& sum, const SumSquares& sum_squares) {
  const F* total = sum();
  for (Extent g = 0; g < groups; ++g) mean[g] = total[g] / static_cast<F>(count);
  total = sum_squares(mean);
  for (Extent g = 0; g < groups; ++g) {
    variance[g] = total[g] / static_cast<F>(count);
    deviation[g] = std::sqrt(variance[g] + epsilon);
  }
}

/// Up to four groups of contiguous runs, one run a group for each of `outer`.
template <class F>
class RunGroups {
 public:
  static constexpr Extent most = most_runs;

  RunGroups(const NormOperands<F>& operands, const NormShape& shape, Extent first, Extent groups)
      : operands_(operands), shape_(shape), first_(first), groups_(groups) {}

  void normalize(NormScale scale, F* mean, F* variance, F* out) const {
    F deviation[most];
    BlockSums<F, most> sums(groups_), squares(groups_);
    find_statistics(
        groups_, shape_.outer * shape_.inner, operands_.epsilon, mean, variance, deviation,
        [&] {
          return total(sums, [&](const F* x, Extent count, F* partials) {
            sum_kernels<F>().add_runs(x, groups_, shape_.inner, count, partials);
          });
        },
        [&](const F* means) {
          return total(squares, [&](const F* x, Extent count, F* partials) {
            norm_kernels<F>().add_squares_of_runs(x, groups_, shape_.inner, count, means, partials);
          });
        });
    const Extent at = scale == NormScale::of_group ? first_ : 0;
    for (Extent o = 0; o < shape_.outer; ++o) {
      norm_kernels<F>().normalize_runs(run(o), groups_, shape_.inner, shape_.inner, mean, deviation, scale,
                                       operands_.scale + at, operands_.shift + at, out + offset(o));
    }
  }

 private:
  Extent offset(Extent o) const { return (o * shape_.groups + first_) * shape_.inner; }
  const F* run(Extent o) const { return operands_.x + offset(o); }

  template <class Add>
  const F* total(BlockSums<F, most>& blocks, const Add& add) const {
    return total_of_runs(run(0), SummedLines{shape_.outer, shape_.groups, shape_.inner}, groups_, blocks,
                         add);
  }

  const NormOperands<F>& operands_;
  const NormShape& shape_;
  Extent first_, groups_;
};

/// Every group a column. Threads share each 16 rows, whose partial sums are theirs alone, and come back to
/// what they have in their caches.
template <class F>
class Columns {
 public:
  static Extent scratch(const NormShape& shape) {
    return ColumnPartials<F>::elements(shape.outer, shape.groups) + 4 * shape.groups;
  }

  Columns(const NormOperands<F>& operands, const NormShape& shape, F* scratch, ThreadPool& pool)
      : operands_(operands), shape_(shape), scratch_(scratch), pool_(pool) {
    constexpr Extent worth_a_thread = 1 << 14;
    const Extent most = std::min(
        {shape.outer * shape.groups / worth_a_thread, partial_sums, static_cast<Extent>(pool.threads())});
    tasks_ = static_cast<Extent>(std::bit_floor(static_cast<std::uint64_t>(std::max<Extent>(most, 1))));
  }

  void normalize(F* mean, F* variance, F* out) {
    const Extent width = shape_.groups;
    F* const total = take(width);
    F* const deviation = take(width);
    if (!mean) mean = take(width);
    if (!variance) variance = take(width);
    ColumnPartials<F> partials(shape_.outer, width, scratch_);
    find_statistics(
        width, shape_.outer, operands_.epsilon, mean, variance, deviation,
        [&] {
          for_rows([&](Extent row, Extent rows) {
            partials.add(operands_.x + row * width, row * width, rows * width);
          });
          partials.fold(total);
          return total;
        },
        [&](const F* means) {
          for_rows([&](Extent row, Extent rows) {
            norm_kernels<F>().add_squares_of_columns(operands_.x + row * width, rows, width, means,
                                                     partials.at(row * width, rows * width));
          });
          partials.fold(total);
          return total;
        });
    F* const reciprocals = total;
    std::transform(deviation, deviation + width, reciprocals, reciprocal_of<F>);
    for_rows([&](Extent row, Extent rows) {
      norm_kernels<F>().normalize_columns(operands_.x + row * width, rows, width, mean, deviation,
                                          reciprocals, operands_.scale, operands_.shift, out + row * width);
    });
  }

 private:
  F* take(Extent elements) {
    F* const taken = scratch_;
    scratch_ += elements;
    return taken;
  }

  /// body(row, rows) for a thread's part of each 16 rows.
  template <class Body>
  void for_rows(const Body& body) const {
    const Extent rows = partial_sums / tasks_;
    const auto task = [&](std::size_t index) {
      for (Extent row = static_cast<Extent>(index) * rows; row < shape_.outer; row += partial_sums)
        body(row, std::min(rows, shape_.outer - row));
    };
    if (tasks_ == 1) return task(0);
    pool_.run(static_cast<std::size_t>(tasks_), task);
  }

  const NormOperands<F>& operands_;
  const NormShape& shape_;
  F* scratch_;
  ThreadPool& pool_;
  Extent tasks_;
};

bool is_by_columns(const NormShape& shape) { return shape.inner == 1 && shape.outer > 1; }

}  // namespace

template <class F>
std::size_t norm_scratch(const NormShape& shape) {
  return is_by_columns(shape) ? static_cast<std::size_t>(Columns<F>::scratch(shape)) : 0;
}

template <class F>
void normalize(const NormOperands<F>& operands, const NormShape& shape, NormScale scale, F* mean, F* variance,
               F* out, F* scratch, ThreadPool& pool) {
  if (is_by_columns(shape)) return Columns<F>(operands, shape, scratch, pool).normalize(mean, variance, out);
  constexpr Extent together = RunGroups<F>::most;
  const Extent items = (shape.groups + together - 1) / together;
  const Extent elements = shape.outer * shape.inner * std::min(together, shape.groups);
  constexpr Extent worth_a_thread = 1 << 14;
  const Extent tasks = std::clamp<Extent>(elements * items / worth_a_thread, 1,
                                          std::min(items, static_cast<Extent>(pool.threads())));
  const auto task = [&](std::size_t index) {
    const auto i = static_cast<Extent>(index);
    F own_mean[together], own_variance[together];
    for (Extent item = items * i / tasks; item < items * (i + 1) / tasks; ++item) {
      const Extent first = item * together;
      const Extent groups = std::min(together, shape.groups - first);
      F* const means = mean ? mean + first : own_mean;
      F* const variances = variance ? variance + first : own_variance;
      RunGroups<F>(operands, shape, first, groups).normalize(scale, means, variances, out);
    }
  };
  if (tasks == 1) return task(0);
  pool.run(static_cast<std::size_t>(tasks), task);
}

template std::size_t norm_scratch<float>(const NormShape&);
template std::size_t norm_scratch<double>(const NormShape&);
template void normalize(const NormOperands<float>&, const NormShape&, NormScale, float*, float*, float*,
                        float*, ThreadPool&);
template void normalize(const NormOperands<double>&, const NormShape&, NormScale, double*, double*, double*,
                        double*, ThreadPool&);

}  // namespace topos::kernels
