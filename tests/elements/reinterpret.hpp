// A recorded program over another element: the structure does not depend on it, only payloads do.
#pragma once

#include "topos/graph/network.hpp"
#include "topos/ops/rules_impl.hpp"
#include "topos/plan/plan_impl.hpp"
#include "topos/tensor/convert.hpp"

namespace topos::testing {

/// The program with its payloads converted; symbols of `network` name the same nodes in it.
template <class To, class From>
std::shared_ptr<Program<To>> reinterpreted(const Network<From>& network) {
  const auto program = std::make_shared<Program<To>>();
  program->graph = network.graph();
  for (const Tensor<From>& x : network.program()->leaves) program->leaves.push_back(convert<To>(x));
  for (const Tensor<From>& x : network.program()->parameters) program->parameters.push_back(convert<To>(x));
  for (const Tensor<From>& x : network.program()->inputs) program->inputs.push_back(convert<To>(x));
  return program;
}

template <class To, class From>
Feeds<To> reinterpreted(const Feeds<From>& feeds) {
  Feeds<To> result;
  for (const Feed<From>& feed : feeds) result.push_back({feed.input, convert<To>(feed.value)});
  return result;
}

}  // namespace topos::testing
