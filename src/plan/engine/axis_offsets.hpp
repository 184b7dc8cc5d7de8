// Where indices along some axes lie, as the matrix product takes them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/gemm.hpp"
#include "plan/engine/layout.hpp"

namespace topos::engine {

/// Owns the tables of offsets that a step's problem points to.
class OffsetTables {
 public:
  /// A stride where the axes have one, else a table of every index's offset.
  kernels::AxisOffsets along(std::span<const StridedAxis> axes);

 private:
  std::vector<std::unique_ptr<std::int64_t[]>> tables_;
};

}  // namespace topos::engine
