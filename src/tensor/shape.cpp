#include "topos/tensor/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topos/base/error.hpp"

namespace topos {

Shape::Shape(std::initializer_list<Extent> extents) : Shape(std::vector<Extent>(extents)) {}

Shape::Shape(std::vector<Extent> extents) : extents_(std::move(extents)) {
  Extent nonzero_product = 1;
  bool empty = false;
  for (const Extent extent : extents_) {
    if (extent < 0) {
      throw UsageError(fmt::format("a shape's extents cannot be negative; got {}", describe(extents_)));
    }
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(nonzero_product, extent, &nonzero_product)) {
      throw UsageError(fmt::format("the volume of shape {} does not fit in 63 bits", describe(extents_)));
    }
  }
  volume_ = empty ? 0 : nonzero_product;
}

Shape Shape::without_axis(Axis axis) const {
  std::vector<Extent> extents = extents_;
  extents.erase(extents.begin() + axis);
  return Shape(std::move(extents));
}

Shape Shape::with_axis(Axis axis, Extent extent) const {
  std::vector<Extent> extents = extents_;
  extents.insert(extents.begin() + axis, extent);
  return Shape(std::move(extents));
}

Shape Shape::with_extent(Axis axis, Extent extent) const {
  std::vector<Extent> extents = extents_;
  extents[static_cast<std::size_t>(axis)] = extent;
  return Shape(std::move(extents));
}

Shape Shape::permuted(std::span<const Axis> order) const {
  std::vector<Extent> extents;
  extents.reserve(order.size());
  for (const Axis axis : order) extents.push_back((*this)[axis]);
  return Shape(std::move(extents));
}

std::vector<Extent> Shape::row_major_strides() const {
  std::vector<Extent> strides(extents_.size());
  Extent stride = 1;
  for (std::size_t i = extents_.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents_[i] == 0 ? 1 : extents_[i];
  }
  return strides;
}

std::string describe(const Shape& shape) { return describe(shape.extents()); }

std::string describe(std::span<const std::int64_t> list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

}  // namespace topos
