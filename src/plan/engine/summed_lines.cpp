#include "plan/engine/summed_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace topos::engine {

std::optional<AxisLines> summed_lines(const Layout& layout, Axis axis) {
  struct Part {
    StridedAxis along;
    Axis axis;
  };
  std::vector<Part> parts;
  for (Axis a = 0; a < layout.rank(); ++a) {
    const std::vector<StridedAxis> along = layout.flattened(std::array{a});
    if (a != axis && along.size() > 1) return std::nullopt;
    for (std::size_t i = 0; i < along.size(); ++i) {
      if (i > 0 && along[i].stride >= along[i - 1].stride) return std::nullopt;
      parts.push_back({along[i], a});
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.along.stride > b.along.stride; });
  AxisLines result;
  Extent contiguous = 1;
  for (std::size_t i = parts.size(); i-- > 0;) {  // innermost first
    const auto& [along, of] = parts[i];
    if (along.stride != contiguous || layout.offset() != 0) return std::nullopt;
    contiguous *= along.extent;
    SummedLines& lines = result.lines;
    if (of == axis) {
      (lines.count == 1 ? lines.inner : lines.outer) *= along.extent;
    } else {
      if (lines.outer > 1) return std::nullopt;
      lines.count *= along.extent;
      result.rest.insert(result.rest.begin(), of > axis ? of - 1 : of);
    }
  }
  return result;
}

std::string describe(const SummedLines& lines) {
  return lines.are_runs() ? fmt::format("sums of {}", lines.inner)
                          : fmt::format("sums over [{}, :, {}]", lines.outer, lines.inner);
}

}  // namespace topos::engine
