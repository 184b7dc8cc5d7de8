// A value seen as lines along one axis, whatever the order of the others in memory.
#pragma once

#include "plan/engine/compiler.hpp"

namespace topos::engine {

struct LineView {
  BufferIndex buffer = 0;
  Extent offset = 0;
  kernels::Lines lines;
  std::vector<Axis> order;  ///< of the value's axes in memory, outermost first
};

/// The node's elements as contiguous [outer, extent, inner] with `axis` in the middle; copied to row-major
/// order first when no order of the axes is contiguous.
template <class F>
LineView lines_along(Compiler<F>& compiler, NodeIndex index, Axis axis) {
  auto value = compiler.value(index);
  std::optional<std::vector<Axis>> order = value.layout.memory_order();
  if (!order || !value.layout.is_dense_in(*order) || !value.layout.merged(axis)) {
    value = compiler.row_major(index);
    order = identity_order(value.layout.rank());
  }
  LineView view{value.buffer, value.layout.offset(), {}, std::move(*order)};
  const Shape& shape = compiler.node(index).shape;
  bool before = true;
  for (const Axis a : view.order) {
    if (a == axis) {
      view.lines.extent = shape[a];
      before = false;
    } else {
      (before ? view.lines.outer : view.lines.inner) *= shape[a];
    }
  }
  return view;
}

/// The order of the axes that stay when `axis` goes.
inline std::vector<Axis> without_axis(std::span<const Axis> order, Axis axis) {
  std::vector<Axis> rest;
  for (const Axis a : order) {
    if (a != axis) rest.push_back(a > axis ? a - 1 : a);
  }
  return rest;
}

}  // namespace topos::engine
