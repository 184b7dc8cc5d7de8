// THE list of patterns. A pattern is one header, one source and one line here. Each has a name, a matcher
// (root to attributes, collecting the interiors it stands for), the nodes it reads, and its StableHLO
// spelling where there is one.
#pragma once

#include "topos/base/type_list.hpp"
#include "topos/plan/patterns/reduce_window.hpp"
#include "topos/plan/patterns/reduce_window_gradient.hpp"
#include "topos/plan/patterns/softmax_attention.hpp"
#include "topos/plan/patterns/window_product.hpp"
#include "topos/plan/patterns/window_product_input_gradient.hpp"
#include "topos/plan/patterns/window_product_kernel_gradient.hpp"

namespace topos {

using PatternList = TypeList<WindowProduct, ReduceWindow, WindowProductKernelGradient,
                             WindowProductInputGradient, ReduceWindowGradient, SoftmaxAttention>;

}  // namespace topos
