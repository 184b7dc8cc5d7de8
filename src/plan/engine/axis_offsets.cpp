#include "plan/engine/axis_offsets.hpp"

namespace topos::engine {

kernels::AxisOffsets OffsetTables::along(std::span<const StridedAxis> axes) {
  if (axes.empty()) return {0};
  if (axes.size() == 1) return {axes[0].stride};
  Extent count = 1;
  for (const StridedAxis& axis : axes) count *= axis.extent;
  auto table = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(count));
  for (Extent i = 0; i < count; ++i) {
    Extent rest = i;
    Extent offset = 0;
    for (std::size_t a = axes.size(); a-- > 0;) {
      offset += rest % axes[a].extent * axes[a].stride;
      rest /= axes[a].extent;
    }
    table[static_cast<std::size_t>(i)] = offset;
  }
  tables_.push_back(std::move(table));
  return {1, tables_.back().get()};
}

}  // namespace topos::engine
