// Batch norm with given statistics: elsewhere, a batch_norm_inference.
#pragma once

#include <fmt/format.h>

#include "topos/plan/patterns/norm_tail.hpp"

namespace topos {

/// The tail over any mean and variance.
struct BatchNormInference : detail::BatchNormTail {
  static constexpr std::string_view name = "BatchNormInference";

  static std::optional<BatchNormInference> match(const MatchContext& context, NodeIndex root,
                                                 PatternMatch& match);
  std::vector<NodeIndex> reads() const {
    return {tail.input, tail.scale, tail.shift, tail.mean, tail.variance};
  }

  template <class Writer>
  void spell(Writer& out) const {
    const std::string statistic = out.type(out.shape_of(tail.scale));
    const std::string type = out.type(out.result_shape());
    out.define(
        "",
        fmt::format("\"stablehlo.batch_norm_inference\"({}, {}, {}, {}, {}) {} : ({}, {}, {}, {}, {}) -> {}",
                    out.name_of(tail.input), out.name_of(tail.scale), out.name_of(tail.shift),
                    out.name_of(tail.mean), out.name_of(tail.variance), attributes(out), type, statistic,
                    statistic, statistic, statistic, type));
  }
};

}  // namespace topos
