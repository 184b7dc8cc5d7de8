#include "topos/plan/plan_impl.hpp"

namespace topos {

#define TOPOS_INSTANTIATE(E)                          \
  template class Gradients<E>;                        \
  template class Run<E>;                              \
  template class Plan<E>;                             \
  template class Session<E>;                          \
  template class Entry<E>;                            \
  template Entry<E> Network<E>::entry(Symbols) const; \
  template Run<E> Network<E>::forward(const Parameters<E>&, const Feeds<E>&) const;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
