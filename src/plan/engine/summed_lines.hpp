// Which elements of memory a sum along an axis takes together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/engine/layout.hpp"

namespace topos::engine {

using kernels::SummedLines;

/// The lines along `axis` of a value that is `layout`, and the other axes as they lie in memory, outermost
/// first; none where the lines do not lie so.
struct AxisLines {
  SummedLines lines;
  std::vector<Axis> rest;
};
std::optional<AxisLines> summed_lines(const Layout& layout, Axis axis);

/// "sums of 64": contiguous ones; "sums over [64, :, 1]" otherwise.
std::string describe(const SummedLines& lines);

}  // namespace topos::engine
