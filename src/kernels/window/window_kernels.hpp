// The inner loops over windows, elected once a call for the instruction set in use.
#pragma once

#include "kernels/window.hpp"

namespace topos::kernels {

template <class F>
struct WindowKernels {
  /// One row of windows: x is the image's first of their rows, out [columns.count, channels].
  void (*maximum)(const F* x, const WindowShape& shape, F* out);
  /// The same windows' gradient: out is where x's elements lie, all of the windows' rows.
  void (*maximum_gradient)(const F* x, const F* cotangent, const WindowShape& shape, F* out);
  /// fold_window_rows.
  void (*fold_rows)(const F* patches, const WindowShape& shape, Extent first, Extent count, F* out);
};

template <class F>
const WindowKernels<F>& window_kernels();

}  // namespace topos::kernels
