#include "topos/plan/patterns/window_product_kernel_gradient.hpp"

#include "topos/ops/matmul.hpp"
#include "topos/ops/permute.hpp"

namespace topos {

std::optional<WindowProductKernelGradient> WindowProductKernelGradient::match(const MatchContext& context,
                                                                              NodeIndex root,
                                                                              PatternMatch& match) {
  if (!context.is<MatMul>(root) || context.shape(root).rank() != 2) return std::nullopt;
  const NodeIndex transposed = context.operand(root, 0);
  const Permute* permute = context.get_if<Permute>(transposed);
  if (!permute || permute->order != std::vector<Axis>{1, 0}) return std::nullopt;
  match.interiors.push_back(transposed);
  const std::optional<Windows> windows = detail::match_patches(context, context.operand(transposed), match);
  if (!windows) return std::nullopt;
  return WindowProductKernelGradient{*windows, context.operand(root, 1)};
}

}  // namespace topos
