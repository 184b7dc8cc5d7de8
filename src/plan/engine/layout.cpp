#include "plan/engine/layout.hpp"

#include <algorithm>
#include <numeric>

#include "topos/tensor/tensor.hpp"

namespace topos::engine {
namespace {

// Appends an axis, as a longer last one where the two are one walk through memory.
void append_merged(std::vector<StridedAxis>& list, StridedAxis axis) {
  if (axis.extent == 1) return;
  if (!list.empty() && list.back().stride == axis.extent * axis.stride) {
    list.back() = {list.back().extent * axis.extent, axis.stride};
  } else {
    list.push_back(axis);
  }
}

}  // namespace

std::vector<Axis> identity_order(Axis rank) {
  std::vector<Axis> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), Axis{0});
  return order;
}

Layout Layout::row_major(const Shape& shape) { return dense_in_order(shape, identity_order(shape.rank())); }

Layout Layout::dense_in_order(const Shape& shape, std::span<const Axis> order) {
  Layout layout;
  layout.axes_.resize(static_cast<std::size_t>(shape.rank()));
  Extent stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const Axis axis = order[i];
    if (shape[axis] == 1) continue;
    layout.axes_[static_cast<std::size_t>(axis)] = {{shape[axis], stride}};
    stride *= shape[axis];
  }
  return layout;
}

Layout Layout::permuted(std::span<const Axis> order) const {
  Layout layout;
  layout.offset_ = offset_;
  for (const Axis axis : order) layout.axes_.push_back(axes_[static_cast<std::size_t>(axis)]);
  return layout;
}

Layout Layout::with_broadcast_axis(Axis axis, Extent extent) const {
  Layout layout = *this;
  std::vector<StridedAxis> repeated;
  if (extent != 1) repeated.push_back({extent, 0});
  layout.axes_.insert(layout.axes_.begin() + axis, std::move(repeated));
  return layout;
}

Layout Layout::repeated_to(const Shape& shape) const {
  Layout layout;
  layout.offset_ = offset_;
  for (const Extent extent : shape.extents()) {
    layout.axes_.emplace_back();
    if (extent != 1) layout.axes_.back().push_back({extent, 0});
  }
  return layout;
}

Layout Layout::from_first() const {
  Layout result = *this;
  result.offset_ = 0;
  return result;
}

std::optional<Layout> Layout::narrowed(Axis axis, Extent start, Extent length) const {
  Layout layout = *this;
  std::vector<StridedAxis>& list = layout.axes_[static_cast<std::size_t>(axis)];
  if (length == 1) {  // one index of a composed axis: an index of each of its parts
    for (std::size_t i = list.size(); i-- > 0;) {
      layout.offset_ += start % list[i].extent * list[i].stride;
      start /= list[i].extent;
    }
    list.clear();
    return layout;
  }
  const std::optional<StridedAxis> one = merged(axis);
  if (!one) return std::nullopt;
  layout.offset_ += start * one->stride;
  list = {{length, one->stride}};
  return layout;
}

std::optional<Layout> Layout::unfolded(Axis axis, Extent size, Extent step, Extent dilation) const {
  const std::optional<StridedAxis> one = merged(axis);
  if (!one) return std::nullopt;
  const Extent count = window_count(one->extent, size, step, dilation);
  Layout layout = *this;
  std::vector<StridedAxis> windows, within;
  if (count != 1) windows.push_back({count, one->stride * step});
  if (size != 1) within.push_back({size, one->stride * dilation});
  layout.axes_[static_cast<std::size_t>(axis)] = std::move(windows);
  layout.axes_.insert(layout.axes_.begin() + axis + 1, std::move(within));
  return layout;
}

std::optional<Layout> Layout::reshaped(const Shape& shape) const {
  std::vector<StridedAxis> pending = flattened();
  std::reverse(pending.begin(), pending.end());  // taken from the back: outermost first
  Layout layout;
  layout.offset_ = offset_;
  for (const Extent wanted : shape.extents()) {
    std::vector<StridedAxis>& list = layout.axes_.emplace_back();
    Extent missing = wanted;
    while (missing > 1) {
      if (pending.empty()) return std::nullopt;
      StridedAxis& next = pending.back();
      if (next.extent <= missing) {
        if (missing % next.extent != 0) return std::nullopt;
        missing /= next.extent;
        list.push_back(next);
        pending.pop_back();
      } else {  // the outer part of it
        if (next.extent % missing != 0) return std::nullopt;
        const Extent rest = next.extent / missing;
        list.push_back({missing, next.stride * rest});
        next.extent = rest;
        missing = 1;
      }
    }
  }
  return layout;
}

std::vector<StridedAxis> Layout::flattened(std::span<const Axis> order) const {
  std::vector<StridedAxis> list;
  for (const Axis a : order) {
    for (const StridedAxis& one : axes_[static_cast<std::size_t>(a)]) append_merged(list, one);
  }
  return list;
}

std::vector<StridedAxis> Layout::flattened() const { return flattened(identity_order(rank())); }

std::optional<StridedAxis> Layout::merged(Axis axis) const {
  std::vector<StridedAxis> list;
  for (const StridedAxis& one : axes_[static_cast<std::size_t>(axis)]) append_merged(list, one);
  if (list.size() > 1) return std::nullopt;
  return list.empty() ? StridedAxis{1, 0} : list[0];
}

bool Layout::is_uniform() const {
  for (const auto& list : axes_) {
    for (const StridedAxis& one : list) {
      if (one.stride != 0) return false;
    }
  }
  return true;
}

bool Layout::is_row_major() const { return is_dense_in(identity_order(rank())); }

bool Layout::is_dense_in(std::span<const Axis> order) const {
  const std::vector<StridedAxis> list = flattened(order);
  return list.empty() || (list.size() == 1 && list[0].stride == 1);
}

std::optional<std::vector<Axis>> Layout::memory_order() const {
  const auto widest = [&](Axis a) {
    Extent stride = 0;
    for (const StridedAxis& one : axis(a)) stride = std::max(stride, one.stride);
    return stride;
  };
  for (const auto& list : axes_) {
    for (const StridedAxis& one : list) {
      if (one.stride == 0) return std::nullopt;
    }
  }
  std::vector<Axis> order = identity_order(rank());
  // Equal strides keep their order. Not std::stable_sort: clang warns inside libstdc++'s.
  std::sort(order.begin(), order.end(),
            [&](Axis a, Axis b) { return widest(a) != widest(b) ? widest(a) > widest(b) : a < b; });
  return order;
}

}  // namespace topos::engine
