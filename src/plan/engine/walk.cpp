#include "plan/engine/walk.hpp"

#include <array>

namespace topos::engine {

std::optional<Walk> Walk::along(const Layout& layout) {
  std::vector<Extent> extents;
  for (Axis axis = 0; axis < layout.rank(); ++axis) {
    for (const StridedAxis& part : layout.flattened(std::array{axis})) extents.push_back(part.extent);
  }
  Walk walk;
  walk.layout_ = layout.from_first();
  walk.parts_ = Shape(std::move(extents));
  const Layout apart = *layout.reshaped(walk.parts_);
  std::optional<std::vector<Axis>> order = apart.memory_order();
  if (!order || !apart.is_dense_in(*order)) return std::nullopt;
  walk.order_ = std::move(*order);
  std::vector<Extent> walked;
  walked.reserve(walk.order_.size());
  for (const Axis part : walk.order_) walked.push_back(walk.parts_[part]);
  walk.shape_ = Shape(std::move(walked));
  return walk;
}

Walk Walk::in_order(const Shape& shape, std::span<const Axis> order) {
  return *along(Layout::dense_in_order(shape, order));
}

std::optional<WalkedElements> Walk::elements(const Layout& value) const {
  if (value.is_uniform()) return WalkedElements{value.offset(), {}};
  const std::optional<Layout> apart = value.reshaped(parts_);
  if (!apart) return std::nullopt;
  return WalkedElements{value.offset(), apart->flattened(order_)};
}

}  // namespace topos::engine
