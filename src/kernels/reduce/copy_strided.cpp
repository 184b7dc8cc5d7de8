#include <algorithm>

#include "kernels/reduce.hpp"
#include "kernels/reduce/data_kernels.hpp"

namespace topos::kernels {
namespace {

// Of more than one element each, where 2^63 elements are none.
constexpr int most_axes = 62;

/// The axes with those of one element left out and adjacent ones merged.
class MergedAxes {
 public:
  explicit MergedAxes(std::span<const StridedAxis> axes) {
    for (const StridedAxis& axis : axes) {
      if (axis.extent == 1) continue;
      if (rank_ > 0 && strides_[rank_ - 1] == axis.extent * axis.stride) {
        extents_[rank_ - 1] *= axis.extent;
        strides_[rank_ - 1] = axis.stride;
      } else {
        append(axis);
      }
    }
    if (rank_ == 0) append({1, 1});
  }

  int rank() const { return rank_; }
  StridedAxis operator[](int axis) const { return {extents_[axis], strides_[axis]}; }

 private:
  void append(const StridedAxis& axis) {
    extents_[rank_] = axis.extent;
    strides_[rank_++] = axis.stride;
  }

  Extent extents_[most_axes];
  Extent strides_[most_axes];
  int rank_ = 0;
};

/// Counts through the axes from ... to - 1, the last fastest; knows where the element lies.
class Odometer {
 public:
  Odometer(const MergedAxes& axes, int from, int to, Extent position) : axes_(axes), from_(from), to_(to) {
    for (int axis = to - 1; axis >= from; --axis) {
      index_[axis] = position % axes[axis].extent;
      position /= axes[axis].extent;
      offset_ += index_[axis] * axes[axis].stride;
    }
  }

  Extent offset() const { return offset_; }

  void advance() {
    for (int axis = to_ - 1; axis >= from_; --axis) {
      offset_ += axes_[axis].stride;
      if (++index_[axis] < axes_[axis].extent) return;
      offset_ -= axes_[axis].extent * axes_[axis].stride;
      index_[axis] = 0;
    }
  }

 private:
  const MergedAxes& axes_;
  int from_, to_;
  Extent index_[most_axes];
  Extent offset_ = 0;
};

/// Row by row, a row being the last axis; the whole rows of the axis before it together.
template <class F>
void copy_rows(const F* x, const MergedAxes& axes, Extent first, Extent count, F* out) {
  const CopyKernels<F>& kernels = copy_kernels<F>();
  const int last = axes.rank() - 1;
  const StridedAxis row = axes[last];
  const StridedAxis rows = last > 0 ? axes[last - 1] : StridedAxis{1, 0};
  Extent k = first % row.extent;
  Extent r = first / row.extent % rows.extent;
  Odometer outer(axes, 0, std::max(last - 1, 0), first / row.extent / rows.extent);
  while (count > 0) {
    const F* const from = x + outer.offset() + r * rows.stride + k * row.stride;
    if (k > 0 || count < row.extent) {
      const Extent run = std::min(row.extent - k, count);
      kernels.runs(from, 0, row.stride, 1, run, out);
      out += run;
      count -= run;
      k = 0;
      ++r;
    } else {
      const Extent whole = std::min(rows.extent - r, count / row.extent);
      kernels.runs(from, rows.stride, row.stride, whole, row.extent, out);
      out += whole * row.extent;
      count -= whole * row.extent;
      r += whole;
    }
    if (r == rows.extent) {
      r = 0;
      outer.advance();
    }
  }
}

// Even two rows: reading a cache line is what costs.
constexpr Extent worth_transposing = 2;  // rows and columns

/// The outer axis whose elements are adjacent in memory, where the last axis' are not; -1 without one.
int transposed_axis(const MergedAxes& axes) {
  const StridedAxis row = axes[axes.rank() - 1];
  if (row.stride == 0 || row.stride == 1 || row.extent < worth_transposing) return -1;
  for (int axis = axes.rank() - 2; axis >= 0; --axis) {
    if (axes[axis].stride == 1) return axes[axis].extent >= worth_transposing ? axis : -1;
  }
  return -1;
}

/// What is copied slab by slab: a slab holds all that one index of the axis `across` and of those before it
/// have. Between `across` and the last axis, which are transposed, others may lie.
struct Slabs {
  int across;
  Extent volume;
};

/// `count` slabs from slab `first` on. The axis before `across`, where its elements lie closer than those of
/// the last axis, goes along with it: its lines of memory are the same.
template <class F>
void copy_slabs(const F* x, const MergedAxes& axes, const Slabs& slabs, Extent first, Extent count, F* out) {
  const CopyKernels<F>& kernels = copy_kernels<F>();
  const auto [across, slab] = slabs;
  const int last = axes.rank() - 1;
  const StridedAxis inner = axes[across];
  StridedAxis beside{1, 0};
  if (across > 0 && axes[across - 1].stride < axes[last].stride) beside = axes[across - 1];
  const int outer_axes = beside.extent > 1 ? across - 1 : across;
  const Extent group = beside.extent * inner.extent;
  Extent index = first % group;
  Odometer outer(axes, 0, outer_axes, first / group);
  while (count > 0) {
    const bool is_whole = index == 0 && count >= group;
    const Extent columns = axes[last].extent;
    const Extent rows = is_whole ? inner.extent : std::min(inner.extent - index % inner.extent, count);
    const Extent together = is_whole ? beside.extent : 1;
    const F* const from = x + outer.offset() + index / inner.extent * beside.stride + index % inner.extent;
    Odometer middle(axes, across + 1, last, 0);
    for (Extent at = 0; at < slab; at += columns, middle.advance()) {
      for (Extent i = 0; i < together; ++i) {
        kernels.transpose(from + middle.offset() + i * beside.stride, axes[last].stride, rows, columns,
                          out + i * inner.extent * slab + at, slab);
      }
    }
    const Extent done = rows * together;
    out += done * slab;
    count -= done;
    index += done;
    if (index == group) {
      index = 0;
      outer.advance();
    }
  }
}

}  // namespace

template <class F>
void copy_strided(const F* x, std::span<const StridedAxis> axes, Extent first, Extent count, F* out) {
  if (count <= 0) return;
  const MergedAxes merged(axes);
  const int across = transposed_axis(merged);
  if (across < 0) return copy_rows(x, merged, first, count, out);
  Extent slab = 1;
  for (int axis = across + 1; axis < merged.rank(); ++axis) slab *= merged[axis].extent;
  const Extent begin = (first + slab - 1) / slab;  // whole slabs begin ... end - 1
  const Extent end = (first + count) / slab;
  if (end - begin < worth_transposing) return copy_rows(x, merged, first, count, out);
  const Extent head = begin * slab - first;
  copy_rows(x, merged, first, head, out);
  copy_slabs(x, merged, Slabs{across, slab}, begin, end - begin, out + head);
  const Extent done = end * slab - first;
  copy_rows(x, merged, end * slab, count - done, out + done);
}

template void copy_strided(const float*, std::span<const StridedAxis>, Extent, Extent, float*);
template void copy_strided(const double*, std::span<const StridedAxis>, Extent, Extent, double*);

}  // namespace topos::kernels
