// THE list of patterns. A pattern is one header, one source and one line here. Each has a name, a matcher
// (root to attributes, collecting the interiors it stands for), the nodes it reads, and where it has them:
// further nodes that it gives, a rule that nothing else reads the interiors, and its StableHLO spelling.
#pragma once

#include "topos/base/type_list.hpp"
#include "topos/plan/patterns/batch_norm_inference.hpp"
#include "topos/plan/patterns/batch_norm_training.hpp"
#include "topos/plan/patterns/layer_norm.hpp"
#include "topos/plan/patterns/reduce_window.hpp"
#include "topos/plan/patterns/reduce_window_gradient.hpp"
#include "topos/plan/patterns/selected_log_softmax.hpp"
#include "topos/plan/patterns/softmax_attention.hpp"
#include "topos/plan/patterns/window_product.hpp"
#include "topos/plan/patterns/window_product_input_gradient.hpp"
#include "topos/plan/patterns/window_product_kernel_gradient.hpp"

namespace topos {

/// In the order in which their candidates are listed, and elected.
using PatternList = TypeList<WindowProduct, ReduceWindow, WindowProductKernelGradient,
                             WindowProductInputGradient, ReduceWindowGradient, BatchNormTraining,
                             BatchNormInference, RowNorm, SoftmaxAttention, SelectedLogSoftmax>;

}  // namespace topos
