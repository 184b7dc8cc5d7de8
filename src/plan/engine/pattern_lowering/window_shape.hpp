// A pattern's windows as the kernels take them.
#pragma once

#include <fmt/format.h>

#include <array>

#include "kernels/window.hpp"
#include "topos/plan/patterns/windows.hpp"

namespace topos::engine {

/// The axes of [batch, channels, rows, columns] as they lie when the channels are innermost.
inline constexpr std::array<Axis, 4> channels_last{0, 2, 3, 1};

/// Of windows over an image [batch, channels, rows, columns], no padding.
inline kernels::WindowShape window_shape(const Windows& windows, const Shape& image) {
  const auto line = [&](std::size_t i) {
    const WindowAxis& axis = windows.axes[i];
    return kernels::WindowLine{image[static_cast<Axis>(i) + 2], windows.counts[i], axis.size, axis.stride,
                               axis.dilation};
  };
  return {windows.batch, line(0), line(1), windows.channels};
}

inline std::string describe_windows(const kernels::WindowShape& shape) {
  return fmt::format("{}x{} windows of [{}, {}, {}, {}]", shape.rows.size, shape.columns.size, shape.batch,
                     shape.rows.extent, shape.columns.extent, shape.channels);
}

}  // namespace topos::engine
