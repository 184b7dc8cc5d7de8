#include "topos/plan/patterns/window_product_input_gradient.hpp"

#include "topos/ops/fold.hpp"
#include "topos/ops/matmul.hpp"
#include "topos/ops/permute.hpp"
#include "topos/ops/reshape.hpp"

namespace topos {

std::optional<WindowProductInputGradient> WindowProductInputGradient::match(const MatchContext& context,
                                                                            NodeIndex root,
                                                                            PatternMatch& match) {
  const std::optional<Windows> windows = detail::match_folds(context, root, {0, 3, 1, 4, 2, 5}, match);
  if (!windows) return std::nullopt;
  // The folds' source is [batch, count, count, channels, size, size] as a matrix of patches.
  const std::optional<NodeIndex> product = detail::match_first_contribution(context, windows->source, match);
  if (!product || !context.is<MatMul>(*product) || context.shape(*product).rank() != 2) return std::nullopt;
  const Shape patches(
      {windows->batch * windows->counts[0] * windows->counts[1], windows->channels * windows->area()});
  if (context.shape(*product) != patches) return std::nullopt;
  const NodeIndex transposed = context.operand(*product, 1);
  const Permute* permute = context.get_if<Permute>(transposed);
  if (!permute || permute->order != std::vector<Axis>{1, 0}) return std::nullopt;
  match.interiors.insert(match.interiors.end(), {*product, transposed});
  return WindowProductInputGradient{*windows, context.operand(*product, 0), context.operand(transposed)};
}

}  // namespace topos
