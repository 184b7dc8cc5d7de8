// The elements of a source that may be a selection.
#pragma once

#include "kernels/reduce.hpp"
#include "plan/engine/executable.hpp"

namespace topos::engine {

/// Elements start ... start + count - 1 of a matrix with rows of `classes`: where the buffer has them, or, if
/// it is a selection, expanded to `tile`.
template <class F>
const F* selected_elements(const Memory<F>& memory, BufferIndex buffer, Extent classes, Extent start,
                           Extent count, F* tile) {
  const auto indices = memory.indices[buffer];
  if (indices.empty()) return memory.buffers[buffer] + start;
  kernels::expand(indices, classes, start, count, tile);
  return tile;
}

}  // namespace topos::engine
