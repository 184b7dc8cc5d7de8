// The extents of a tensor, one per axis; rank 0 is a single element.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topos {

using Extent = std::int64_t;  ///< number of elements along an axis, or an offset into one
using Axis = std::int64_t;    ///< position of an axis, 0 = outermost

/// Immutable list of non-negative extents. Zero extents are allowed: the tensor then has no elements.
/// The product of the non-zero extents fits in 63 bits, so strides and offsets cannot overflow either.
class Shape {
 public:
  Shape() = default;
  /// Throws UsageError for a negative extent or a volume past 2^63 - 1.
  Shape(std::initializer_list<Extent> extents);
  explicit Shape(std::vector<Extent> extents);
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  /// The moved-from shape is of rank 0.
  Shape(Shape&& other) noexcept
      : extents_(std::exchange(other.extents_, {})), volume_(std::exchange(other.volume_, 1)) {}
  Shape& operator=(Shape&& other) noexcept {
    extents_ = std::exchange(other.extents_, {});
    volume_ = std::exchange(other.volume_, 1);
    return *this;
  }
  ~Shape() = default;

  /// Number of axes.
  Axis rank() const { return static_cast<Axis>(extents_.size()); }
  Extent operator[](Axis axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  /// Number of elements.
  Extent volume() const { return volume_; }
  std::span<const Extent> extents() const { return extents_; }
  /// Whether `axis` is in 0 ... rank - 1.
  bool has_axis(Axis axis) const { return axis >= 0 && axis < rank(); }

  // Other shapes by this one's. The axis must be one of this shape, or for with_axis its rank: not checked.
  Shape without_axis(Axis axis) const;
  Shape with_axis(Axis axis, Extent extent) const;    ///< a new axis inserted before `axis`
  Shape with_extent(Axis axis, Extent extent) const;  ///< the extent of one axis replaced
  Shape permuted(std::span<const Axis> order) const;  ///< result axis i is this shape's axis order[i]
  std::vector<Extent> row_major_strides() const;      ///< in elements

  bool operator==(const Shape& other) const { return extents_ == other.extents_; }

 private:
  std::vector<Extent> extents_;
  Extent volume_ = 1;
};

/// "[2, 3]"; "[]" for rank 0.
std::string describe(const Shape& shape);
/// "[2, 3]" for any list of integers.
std::string describe(std::span<const std::int64_t> list);

}  // namespace topos
