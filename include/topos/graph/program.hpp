// A graph together with the payloads of its sources.
#pragma once

#include "topos/graph/graph.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// Structure plus payloads; what a tape builds, a network freezes and a plan reads.
template <class E>
struct Program {
  Graph graph;                        ///< the nodes
  std::vector<Tensor<E>> leaves;      ///< constants, by slot
  std::vector<Tensor<E>> parameters;  ///< initial values, by slot
  std::vector<Tensor<E>> inputs;      ///< defaults, by slot
};

}  // namespace topos
