// What a run is given, checked.
#pragma once

#include <fmt/format.h>

#include "topos/base/error.hpp"
#include "topos/graph/network.hpp"
#include "topos/ops/input.hpp"

namespace topos::detail {

/// The slot of the input that the feed names. Throws UsageError when it is no input or the shape is another.
template <class E>
NodeIndex check_feed(const Program<E>& program, const Feed<E>& feed) {
  const NodeIndex index = program.graph.resolve(feed.input);
  const Node& node = program.graph[index];
  if (!node.operation.template is<Input>()) {
    throw UsageError(fmt::format("only an input can be fed; node {} is a {}", index, node.operation.name()));
  }
  if (feed.value.shape() != node.shape) {
    throw UsageError(fmt::format("input node {} has shape {}; the feed has shape {}", index,
                                 topos::describe(node.shape), topos::describe(feed.value.shape())));
  }
  return node.slot;
}

template <class E>
void check_parameters(const Program<E>& program, const Parameters<E>& parameters) {
  if (parameters.origin() != program.graph.origin() || parameters.size() < program.parameters.size()) {
    throw UsageError(
        fmt::format("the parameters do not fit the program: it has {} parameters, {} were given{}",
                    program.parameters.size(), parameters.size(),
                    parameters.origin() == program.graph.origin() ? "" : ", of another program"));
  }
}

}  // namespace topos::detail
