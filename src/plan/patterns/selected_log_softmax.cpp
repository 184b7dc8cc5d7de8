#include "topos/plan/patterns/selected_log_softmax.hpp"

#include "topos/ops/input.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/log_softmax.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/sum.hpp"

namespace topos {

std::optional<SelectedLogSoftmax> SelectedLogSoftmax::match(const MatchContext& context, NodeIndex root,
                                                            PatternMatch& match) {
  if (!context.is<Sum>(root) || context.shape(context.operand(root)).rank() != 2) return std::nullopt;
  const NodeIndex product = context.operand(root);
  if (!context.is<Multiply>(product)) return std::nullopt;
  const std::size_t side = context.is<LogSoftmax>(context.operand(product, 1)) ? 1 : 0;
  SelectedLogSoftmax found;
  found.log_softmax = context.operand(product, side);
  found.targets = context.operand(product, 1 - side);
  const LogSoftmax* softmax = context.get_if<LogSoftmax>(found.log_softmax);
  const bool is_source = context.is<Input>(found.targets) || context.is<Leaf>(found.targets);
  if (!softmax || softmax->axis != 1 || !is_source) return std::nullopt;
  found.logits = context.operand(found.log_softmax);
  match.interiors.push_back(product);
  return found;
}

}  // namespace topos
