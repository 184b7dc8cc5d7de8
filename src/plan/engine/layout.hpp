// Where the elements of a value lie in a buffer, so that an operation that only moves elements costs nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/reduce.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::engine {

using kernels::StridedAxis;

/// Each axis of the value is a list of strided axes, outermost first, whose extents multiply to its extent
/// (an axis of extent 1 has none). So the patch matrix of a convolution, a reshape of a permuted window view,
/// is still a layout of the image.
class Layout {
 public:
  /// Row-major from the buffer's first element.
  static Layout row_major(const Shape& shape);
  /// The axes of `shape` laid out densely in the given order, outermost first.
  static Layout dense_in_order(const Shape& shape, std::span<const Axis> order);

  Axis rank() const { return static_cast<Axis>(axes_.size()); }
  Extent offset() const { return offset_; }
  std::span<const StridedAxis> axis(Axis a) const { return axes_[static_cast<std::size_t>(a)]; }

  Layout permuted(std::span<const Axis> order) const;
  Layout with_broadcast_axis(Axis axis, Extent extent) const;
  /// One element repeated: any shape.
  Layout repeated_to(const Shape& shape) const;
  /// The same axes from the buffer's first element on.
  Layout from_first() const;
  // None where the result is no layout of this buffer, so that the elements must be copied first.
  std::optional<Layout> narrowed(Axis axis, Extent start, Extent length) const;
  std::optional<Layout> unfolded(Axis axis, Extent size, Extent step, Extent dilation) const;
  std::optional<Layout> reshaped(const Shape& shape) const;

  /// The strided axes of the value's axes taken in `order`, adjacent ones merged where they can be.
  std::vector<StridedAxis> flattened(std::span<const Axis> order) const;
  std::vector<StridedAxis> flattened() const;
  /// One value axis as a single strided axis, where it is one (extent 1 is: {1, 0}).
  std::optional<StridedAxis> merged(Axis axis) const;
  /// All elements are one.
  bool is_uniform() const;
  /// Contiguous and row-major.
  bool is_row_major() const;
  /// Elements are contiguous when the axes are taken in `order`.
  bool is_dense_in(std::span<const Axis> order) const;
  /// The axes by descending stride, or none when the value repeats elements.
  std::optional<std::vector<Axis>> memory_order() const;

  bool operator==(const Layout& other) const = default;

 private:
  std::vector<std::vector<StridedAxis>> axes_;
  Extent offset_ = 0;
};

/// 0, 1, ..., rank - 1.
std::vector<Axis> identity_order(Axis rank);

}  // namespace topos::engine
