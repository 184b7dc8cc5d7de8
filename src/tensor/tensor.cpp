#include "topos/tensor/tensor_impl.hpp"

namespace topos {

#define TOPOS_INSTANTIATE(E)                                   \
  template class Tensor<E>;                                    \
  template bool same_bits(const Tensor<E>&, const Tensor<E>&); \
  template std::string describe(const Tensor<E>&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
