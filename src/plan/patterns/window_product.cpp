#include "topos/plan/patterns/window_product.hpp"

#include "topos/ops/matmul.hpp"

namespace topos {

std::optional<WindowProduct> WindowProduct::match(const MatchContext& context, NodeIndex root,
                                                  PatternMatch& match) {
  if (!context.is<MatMul>(root) || context.shape(root).rank() != 2) return std::nullopt;
  const std::optional<Windows> windows = detail::match_patches(context, context.operand(root, 0), match);
  if (!windows) return std::nullopt;
  return WindowProduct{*windows, context.operand(root, 1)};
}

}  // namespace topos
