// The order in which an elementwise group takes its elements.
#pragma once

#include <optional>
#include <vector>

#include "plan/engine/layout.hpp"

namespace topos::engine {

/// Where the elements of a value lie, in the order of a walk.
struct WalkedElements {
  Extent offset = 0;
  std::vector<StridedAxis> axes;  ///< outermost first; none: one element, however often

  bool is_uniform() const { return axes.empty(); }
  bool is_contiguous() const { return axes.size() == 1 && axes[0].stride == 1; }
  bool operator==(const WalkedElements&) const = default;
};

/// As a dense value has its elements in memory. An axis of the value may be parts that other axes lie
/// between: rows that are [batch, height, width] of images whose channels are outside height and width.
class Walk {
 public:
  /// None where `layout` is not dense.
  static std::optional<Walk> along(const Layout& layout);
  /// The axes of `shape` in the given order, outermost first.
  static Walk in_order(const Shape& shape, std::span<const Axis> order);

  /// The layout of a value that is written in this order.
  const Layout& layout() const { return layout_; }
  /// The extents that are walked, outermost first.
  const Shape& shape() const { return shape_; }
  /// A value of the same shape; none where this order does not come to its elements by strides.
  std::optional<WalkedElements> elements(const Layout& value) const;

 private:
  Layout layout_;
  Shape parts_;              // the axes' parts, axis by axis
  std::vector<Axis> order_;  // of the parts
  Shape shape_;              // the parts in this order
};

}  // namespace topos::engine
