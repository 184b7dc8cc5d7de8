// Definitions of Tensor's members, for the elements topos ships and for a user's own.
#pragma once

#include <fmt/format.h>

#include "topos/base/error.hpp"
#include "topos/tensor/tensor.hpp"
#include "topos/tensor/text.hpp"

namespace topos {

template <class E>
Tensor<E>::Tensor(E element)
    : Tensor(Shape(), {}, 0, std::make_shared<const std::vector<E>>(1, std::move(element))) {}

template <class E>
Tensor<E>::Tensor(Shape shape, std::vector<E> elements)
    : shape_(std::move(shape)), strides_(shape_.row_major_strides()) {
  if (static_cast<Extent>(elements.size()) != shape_.volume()) {
    throw UsageError(fmt::format("a tensor of shape {} needs {} elements; got {}", describe(shape_),
                                 shape_.volume(), elements.size()));
  }
  storage_ = std::make_shared<const std::vector<E>>(std::move(elements));
}

template <class E>
Tensor<E> Tensor<E>::filled(Shape shape, E element) {
  std::vector<Extent> strides(static_cast<std::size_t>(shape.rank()), 0);
  return Tensor(std::move(shape), std::move(strides), 0,
                std::make_shared<const std::vector<E>>(1, std::move(element)));
}

template <class E>
Tensor<E> Tensor<E>::selection(std::vector<std::int64_t> indices, Extent classes) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= classes) {
      throw UsageError(
          fmt::format("a selection's indices must be in 0 ... classes - 1; got index {} at row {} "
                      "of {}, with {} classes",
                      indices[i], i, indices.size(), classes));
    }
  }
  Shape shape({static_cast<Extent>(indices.size()), classes});
  Tensor result(std::move(shape), {}, 0, nullptr);
  result.selection_ = std::make_shared<const Selection>(Selection{std::move(indices), classes});
  return result;
}

template <class E>
bool Tensor<E>::is_uniform() const {
  if (selection_) return false;
  for (Axis axis = 0; axis < rank(); ++axis) {
    if (shape_[axis] > 1 && strides_[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return volume() > 0;
}

template <class E>
bool Tensor<E>::is_row_major() const {
  Extent stride = 1;
  for (Axis axis = rank(); axis-- > 0;) {
    if (shape_[axis] > 1 && strides_[static_cast<std::size_t>(axis)] != stride) return false;
    stride *= shape_[axis];
  }
  return true;
}

namespace detail {

/// Calls visit(offset) for each element of a strided view in row-major order.
template <class Visit>
void for_each_offset(const Shape& shape, std::span<const Extent> strides, Extent offset, Visit visit) {
  const Axis rank = shape.rank();
  if (shape.volume() == 0) return;
  if (rank == 0) return visit(offset);
  std::vector<Extent> index(static_cast<std::size_t>(rank), 0);
  const Extent inner = shape[rank - 1];
  const Extent inner_stride = strides[static_cast<std::size_t>(rank - 1)];
  while (true) {
    for (Extent i = 0; i < inner; ++i) visit(offset + i * inner_stride);
    Axis axis = rank - 1;
    while (axis-- > 0) {
      const auto a = static_cast<std::size_t>(axis);
      offset += strides[a];
      if (++index[a] < shape[axis]) break;
      offset -= strides[a] * shape[axis];
      index[a] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace detail

template <class E>
Elements<E> Tensor<E>::elements() const {
  if (selection_) {
    auto one_hot = std::make_shared<std::vector<E>>(static_cast<std::size_t>(volume()),
                                                    ElementTraits<E>::from_double(0.0));
    for (std::size_t row = 0; row < selection_->indices.size(); ++row) {
      const auto at = static_cast<Extent>(row) * selection_->classes + selection_->indices[row];
      (*one_hot)[static_cast<std::size_t>(at)] = ElementTraits<E>::from_double(1.0);
    }
    return {one_hot, *one_hot};
  }
  if (is_row_major()) {
    return {storage_,
            std::span<const E>(*storage_).subspan(static_cast<std::size_t>(volume() == 0 ? 0 : offset_),
                                                  static_cast<std::size_t>(volume()))};
  }
  auto copy = std::make_shared<std::vector<E>>();
  copy->reserve(static_cast<std::size_t>(volume()));
  detail::for_each_offset(shape_, strides_, offset_,
                          [&](Extent at) { copy->push_back((*storage_)[static_cast<std::size_t>(at)]); });
  return {copy, *copy};
}

template <class E>
E Tensor<E>::item() const {
  if (volume() != 1) {
    throw UsageError(fmt::format("only a tensor of one element has an item; got shape {}", describe(shape_)));
  }
  return elements()[0];
}

template <class E>
Tensor<E> Tensor<E>::dense() const {
  if (!selection_) return *this;
  const Elements<E> all = elements();
  return Tensor(shape_, std::vector<E>(all.begin(), all.end()));
}

namespace detail {
inline void require_view(bool holds, std::string_view view, const Shape& shape) {
  if (!holds)
    throw UsageError(fmt::format("a tensor of shape {} has no such {} view", describe(shape), view));
}
}  // namespace detail

template <class E>
Tensor<E> Tensor<E>::permuted(std::span<const Axis> order) const {
  detail::require_view(static_cast<Axis>(order.size()) == rank(), "permuted", shape_);
  for (const Axis axis : order) detail::require_view(shape_.has_axis(axis), "permuted", shape_);
  if (selection_) return dense().permuted(order);
  std::vector<Extent> strides;
  for (const Axis axis : order) strides.push_back(strides_[static_cast<std::size_t>(axis)]);
  return Tensor(shape_.permuted(order), std::move(strides), offset_, storage_);
}

template <class E>
Tensor<E> Tensor<E>::narrowed(Axis axis, Extent start, Extent length) const {
  detail::require_view(shape_.has_axis(axis) && start >= 0 && length >= 0 && length <= shape_[axis] &&
                           start <= shape_[axis] - length,
                       "narrowed", shape_);
  if (selection_) return dense().narrowed(axis, start, length);
  return Tensor(shape_.with_extent(axis, length), strides_,
                offset_ + start * strides_[static_cast<std::size_t>(axis)], storage_);
}

template <class E>
Tensor<E> Tensor<E>::unfolded(Axis axis, Extent size, Extent step, Extent dilation) const {
  detail::require_view(shape_.has_axis(axis) && size > 0 && step > 0 && dilation > 0 &&
                           size - 1 <= (shape_[axis] - 1) / dilation && shape_[axis] > 0,
                       "unfolded", shape_);
  if (selection_) return dense().unfolded(axis, size, step, dilation);
  const Extent count = window_count(shape_[axis], size, step, dilation);
  std::vector<Extent> strides = strides_;
  const Extent stride = strides[static_cast<std::size_t>(axis)];
  strides[static_cast<std::size_t>(axis)] = stride * step;
  strides.insert(strides.begin() + axis + 1, stride * dilation);
  return Tensor(shape_.with_extent(axis, count).with_axis(axis + 1, size), std::move(strides), offset_,
                storage_);
}

template <class E>
Tensor<E> Tensor<E>::broadcast_along(Axis axis, Extent extent) const {
  detail::require_view(axis >= 0 && axis <= rank() && extent >= 0, "broadcast", shape_);
  if (selection_) return dense().broadcast_along(axis, extent);
  std::vector<Extent> strides = strides_;
  strides.insert(strides.begin() + axis, 0);
  return Tensor(shape_.with_axis(axis, extent), std::move(strides), offset_, storage_);
}

template <class E>
Tensor<E> Tensor<E>::repeated_to(const Shape& shape) const {
  detail::require_view(volume() == 1 || is_uniform(), "repeated", shape_);
  if (selection_) return dense().repeated_to(shape);
  return Tensor(shape, std::vector<Extent>(static_cast<std::size_t>(shape.rank()), 0), offset_, storage_);
}

template <class E>
Tensor<E> Tensor<E>::reshaped(const Shape& shape) const {
  detail::require_view(shape.volume() == volume(), "reshaped", shape_);
  if (shape == shape_) return *this;
  if (is_uniform()) return repeated_to(shape);
  if (!selection_ && is_row_major()) return Tensor(shape, shape.row_major_strides(), offset_, storage_);
  const Elements<E> all = elements();
  return Tensor(shape, std::vector<E>(all.begin(), all.end()));
}

template <class E>
Tensor<E> Tensor<E>::constant(const Shape& shape, double value) const {
  return filled(shape, ElementTraits<E>::from_double(value));
}

template <class E>
Tensor<E> Tensor<E>::lowest_finite(const Shape& shape) const {
  return filled(shape, ElementTraits<E>::lowest_finite());
}

template <class E>
bool same_bits(const Tensor<E>& a, const Tensor<E>& b) {
  if (a.shape() != b.shape()) return false;
  const Elements<E> left = a.elements();
  const Elements<E> right = b.elements();
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool left_nan = !(left[i] == left[i]);
    const bool right_nan = !(right[i] == right[i]);
    if (left_nan != right_nan) return false;
    if (!left_nan && bits_of(left[i]) != bits_of(right[i])) return false;
  }
  return true;
}

template <class E>
std::string describe(const Tensor<E>& tensor) {
  const Elements<E> all = tensor.elements();
  return detail::nested_list(tensor.shape(), [&](std::size_t i) { return describe_element(all[i]); });
}

}  // namespace topos
