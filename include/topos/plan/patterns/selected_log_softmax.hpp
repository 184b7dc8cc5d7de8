// The sum of the log-probabilities that targets select: the heart of cross-entropy. StableHLO has no
// operation for it.
#pragma once

#include <optional>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

/// Sum(Multiply(targets, LogSoftmax(logits) along the last of two axes)), the targets an input or a constant.
/// The log-probabilities are given, too: a gradient reads them.
struct SelectedLogSoftmax {
  static constexpr std::string_view name = "SelectedLogSoftmax";
  static constexpr bool is_closed = true;
  NodeIndex logits = 0;       ///< [rows, classes]
  NodeIndex targets = 0;      ///< [rows, classes]
  NodeIndex log_softmax = 0;  ///< what is given

  static std::optional<SelectedLogSoftmax> match(const MatchContext& context, NodeIndex root,
                                                 PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {targets, logits}; }
  std::vector<NodeIndex> gives() const { return {log_softmax}; }
};

}  // namespace topos
