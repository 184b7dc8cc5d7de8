#include "kernels/norm.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/norm/norm_kernels.hpp"
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

/// Columns beside each other. They are copied together when they are read first: `stride` apart, rows of a
/// power of two elements would share few places of the second cache.
template <class F>
class ColumnGroups {
 public:
  static constexpr Extent most = 256 / sizeof(F);

  /// How many columns to take at a time: their copy stays in the second cache.
  static Extent together(const NormShape& shape) {
    constexpr Extent cached = 512 * 1024 / sizeof(F);
    return std::clamp<Extent>(cached / shape.outer / 16 * 16, 16, most);
  }

  ColumnGroups(const NormOperands<F>& operands, const NormShape& shape, Extent first, Extent groups, F* copy)
      : operands_(operands), shape_(shape), first_(first), groups_(groups), copy_(copy) {}

  void normalize(F* mean, F* variance, F* out) const {
    F deviation[most];
    BlockSums<F, most> sums(groups_), squares(groups_);
    find_statistics(
        groups_, shape_.outer, operands_.epsilon, mean, variance, deviation,
        [&] {
          return total(sums, [&](Extent row, Extent first, Extent rows, F* partials) {
            for (Extent r = row; r < row + rows; ++r)
              std::copy_n(operands_.x + r * shape_.groups + first_, groups_, copy_ + r * groups_);
            sum_kernels<F>().add_columns(copy_ + row * groups_, first, rows, groups_, groups_, partials);
          });
        },
        [&](const F* means) {
          return total(squares, [&](Extent row, Extent first, Extent rows, F* partials) {
            norm_kernels<F>().add_squares_of_columns(copy_ + row * groups_, first, rows, groups_, means,
                                                     partials);
          });
        });
    norm_kernels<F>().normalize_columns(copy_, shape_.outer, shape_.groups, groups_, mean, deviation,
                                        operands_.scale + first_, operands_.shift + first_, out + first_);
  }

 private:
  /// add(row, place in its block, rows, partial sums), some rows at a time.
  template <class Add>
  const F* total(BlockSums<F, most>& blocks, const Add& add) const {
    constexpr Extent some = 64;
    static_assert(sum_block % some == 0);
    alignas(64) F partials[partial_sums * strip_width<F>];
    F sums[most];
    for (Extent row = 0; row < shape_.outer; row += some) {
      const Extent first = row % sum_block, rows = std::min(some, shape_.outer - row);
      add(row, first, rows, partials);
      if (first + rows < sum_block && row + rows < shape_.outer) continue;
      sum_kernels<F>().fold_columns(partials, std::min(first + rows, partial_sums), groups_, sums);
      blocks.push(sums);
    }
    return blocks.total();
  }

  const NormOperands<F>& operands_;
  const NormShape& shape_;
  Extent first_, groups_;
  F* copy_;
};

bool is_by_columns(const NormShape& shape) { return shape.inner == 1 && shape.outer > 1; }

/// The groups that one thread takes at a time.
template <class F>
Extent groups_together(const NormShape& shape) {
  return is_by_columns(shape) ? ColumnGroups<F>::together(shape) : RunGroups<F>::most;
}

}  // namespace

template <class F>
std::size_t norm_scratch(const NormShape& shape, std::size_t threads) {
  if (!is_by_columns(shape)) return 0;
  return threads * static_cast<std::size_t>(shape.outer * groups_together<F>(shape));
}

template <class F>
void normalize(const NormOperands<F>& operands, const NormShape& shape, NormScale scale, F* mean, F* variance,
               F* out, F* scratch, ThreadPool& pool) {
  const Extent together = groups_together<F>(shape);
  const Extent items = (shape.groups + together - 1) / together;
  const Extent elements = shape.outer * shape.inner * std::min(together, shape.groups);
  constexpr Extent worth_a_thread = 1 << 14;
  const Extent tasks = std::clamp<Extent>(elements * items / worth_a_thread, 1,
                                          std::min(items, static_cast<Extent>(pool.threads())));
  const auto task = [&](std::size_t index) {
    const auto i = static_cast<Extent>(index);
    F own_mean[ColumnGroups<F>::most], own_variance[ColumnGroups<F>::most];
    for (Extent item = items * i / tasks; item < items * (i + 1) / tasks; ++item) {
      const Extent first = item * together;
      const Extent groups = std::min(together, shape.groups - first);
      F* const means = mean ? mean + first : own_mean;
      F* const variances = variance ? variance + first : own_variance;
      if (is_by_columns(shape)) {
        F* const copy = scratch + i * shape.outer * together;
        ColumnGroups<F>(operands, shape, first, groups, copy).normalize(means, variances, out);
      } else {
        RunGroups<F>(operands, shape, first, groups).normalize(scale, means, variances, out);
      }
    }
  };
  if (tasks == 1) return task(0);
  pool.run(static_cast<std::size_t>(tasks), task);
}

template std::size_t norm_scratch<float>(const NormShape&, std::size_t);
template std::size_t norm_scratch<double>(const NormShape&, std::size_t);
template void normalize(const NormOperands<float>&, const NormShape&, NormScale, float*, float*, float*,
                        float*, ThreadPool&);
template void normalize(const NormOperands<double>&, const NormShape&, NormScale, double*, double*, double*,
                        double*, ThreadPool&);

}  // namespace topos::kernels
