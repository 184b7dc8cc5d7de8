// Batch norm with the statistics of its own batch: elsewhere, a batch_norm_training.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/norm_tail.hpp"

namespace topos {

/// The tail, whose mean and variance are those of the input's columns. The operation gives them too, so that
/// they may be read and declared. It rounds otherwise than the composition; a gradient, which reads the
/// interiors, bars it.
struct BatchNormTraining : detail::BatchNormTail {
  static constexpr std::string_view name = "BatchNormTraining";

  static std::optional<BatchNormTraining> match(const MatchContext& context, NodeIndex root,
                                                PatternMatch& match);
  std::vector<NodeIndex> reads() const { return {tail.input, tail.scale, tail.shift}; }
  std::vector<NodeIndex> gives() const { return {tail.mean, tail.variance}; }

  template <class Writer>
  void spell(Writer& out) const {
    const std::string statistic = out.type(out.shape_of(tail.scale));
    const std::string type = out.type(out.result_shape());
    out.line(
        fmt::format("{}:3 = \"stablehlo.batch_norm_training\"({}, {}, {}) {} : ({}, {}, {}) -> ({}, {}, {})",
                    out.local(""), out.name_of(tail.input), out.name_of(tail.scale), out.name_of(tail.shift),
                    attributes(out), type, statistic, statistic, type, statistic, statistic));
    out.set_name(tail.mean, out.local("") + "#1");
    out.set_name(tail.variance, out.local("") + "#2");
    out.alias(out.local("") + "#0");
  }
};

}  // namespace topos
