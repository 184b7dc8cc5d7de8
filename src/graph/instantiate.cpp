#include "topos/graph/graph_impl.hpp"

namespace topos {

#define TOPOS_INSTANTIATE(E) \
  template class Value<E>;   \
  template class Tape<E>;    \
  template class Network<E>; \
  template class Parameters<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
