#include "topos/plan/patterns/windows.hpp"

#include <algorithm>

#include "topos/ops/add.hpp"
#include "topos/ops/fold.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/pad.hpp"
#include "topos/ops/permute.hpp"
#include "topos/ops/reshape.hpp"
#include "topos/ops/unfold.hpp"

namespace topos {
namespace {

bool is_permute(const MatchContext& context, NodeIndex index, std::initializer_list<Axis> order) {
  const Permute* permute = context.get_if<Permute>(index);
  return permute && std::equal(permute->order.begin(), permute->order.end(), order.begin(), order.end());
}

/// Reshape <- Permute `order` <- Unfold along 4 <- Unfold along 2 <- a rank-4 source.
std::optional<Windows> match_unfolds(const MatchContext& context, NodeIndex root,
                                     std::initializer_list<Axis> order, PatternMatch& match) {
  if (!context.is<Reshape>(root)) return std::nullopt;
  const NodeIndex permuted = context.operand(root);
  if (!is_permute(context, permuted, order)) return std::nullopt;
  const NodeIndex columns = context.operand(permuted);
  const Unfold* along_columns = context.get_if<Unfold>(columns);
  if (!along_columns || along_columns->axis != 4) return std::nullopt;
  const NodeIndex rows = context.operand(columns);
  const Unfold* along_rows = context.get_if<Unfold>(rows);
  if (!along_rows || along_rows->axis != 2) return std::nullopt;
  Windows windows;
  windows.source = context.operand(rows);
  if (context.shape(windows.source).rank() != 4) return std::nullopt;
  windows.axes[0] = {along_rows->size, along_rows->step, along_rows->dilation};
  windows.axes[1] = {along_columns->size, along_columns->step, along_columns->dilation};
  const Shape& shape = context.shape(columns);  // [batch, channels, count, size, count, size]
  windows.batch = shape[0];
  windows.channels = shape[1];
  windows.counts = {shape[2], shape[4]};
  match.interiors.insert(match.interiors.end(), {root, permuted, columns, rows});
  return windows;
}

/// Takes zero padding of each window axis, once, into the windows, unless the padded source is itself a
/// result.
void take_padding(const MatchContext& context, Windows& windows, PatternMatch& match) {
  while (const Pad* pad = context.get_if<Pad>(windows.source)) {
    if ((pad->axis != 2 && pad->axis != 3) || context.schedule.is_result(windows.source)) return;
    const NodeIndex inner = context.operand(windows.source);
    WindowAxis& axis = windows.axes[static_cast<std::size_t>(pad->axis - 2)];
    if (axis.pad_low != 0 || axis.pad_high != 0) return;
    axis.pad_low += pad->start;
    axis.pad_high += pad->full_extent - pad->start - context.shape(inner)[pad->axis];
    match.interiors.push_back(windows.source);
    windows.source = inner;
  }
}

}  // namespace

std::optional<Windows> detail::match_patches(const MatchContext& context, NodeIndex root,
                                             PatternMatch& match) {
  std::optional<Windows> windows = match_unfolds(context, root, {0, 2, 4, 1, 3, 5}, match);
  if (!windows) return std::nullopt;
  const Shape patches(
      {windows->batch * windows->counts[0] * windows->counts[1], windows->channels * windows->area()});
  if (context.shape(root) != patches) return std::nullopt;
  take_padding(context, *windows, match);
  return windows;
}

std::optional<Windows> detail::match_lanes(const MatchContext& context, NodeIndex root, PatternMatch& match) {
  const std::optional<Windows> windows = match_unfolds(context, root, {0, 1, 2, 4, 3, 5}, match);
  if (!windows || windows->axes[0].dilation != 1 || windows->axes[1].dilation != 1) return std::nullopt;
  const Shape lanes(
      {windows->batch, windows->channels, windows->counts[0], windows->counts[1], windows->area()});
  if (context.shape(root) != lanes) return std::nullopt;
  return windows;
}

std::optional<Windows> detail::match_folds(const MatchContext& context, NodeIndex root,
                                           std::initializer_list<Axis> order, PatternMatch& match) {
  const Fold* rows = context.get_if<Fold>(root);
  if (!rows || rows->axis != 2 || context.shape(root).rank() != 4) return std::nullopt;
  const std::optional<NodeIndex> columns_node =
      detail::match_first_contribution(context, context.operand(root), match);
  if (!columns_node) return std::nullopt;
  const Fold* columns = context.get_if<Fold>(*columns_node);
  if (!columns || columns->axis != 4) return std::nullopt;
  const std::optional<NodeIndex> permuted =
      detail::match_first_contribution(context, context.operand(*columns_node), match);
  if (!permuted || !is_permute(context, *permuted, order)) return std::nullopt;
  const std::optional<NodeIndex> reshaped =
      detail::match_first_contribution(context, context.operand(*permuted), match);
  if (!reshaped || !context.is<Reshape>(*reshaped)) return std::nullopt;
  match.interiors.insert(match.interiors.end(), {*columns_node, *permuted, *reshaped});
  const Shape& shape = context.shape(*permuted);  // [batch, channels, count, size, count, size]
  Windows windows;
  windows.source = context.operand(*reshaped);
  windows.axes[0] = {rows->size, rows->step, rows->dilation};
  windows.axes[1] = {columns->size, columns->step, columns->dilation};
  windows.batch = shape[0];
  windows.channels = shape[1];
  windows.counts = {shape[2], shape[4]};
  return windows;
}

std::optional<NodeIndex> detail::match_first_contribution(const MatchContext& context, NodeIndex root,
                                                          PatternMatch& match) {
  if (!context.is<Add>(root)) return std::nullopt;
  const NodeIndex leaf = context.operand(root, 0);
  if (!context.is<Leaf>(leaf) || !context.leaf_is_filled_with(leaf, 0.0)) return std::nullopt;
  match.interiors.insert(match.interiors.end(), {root, leaf});
  return context.operand(root, 1);
}

}  // namespace topos
