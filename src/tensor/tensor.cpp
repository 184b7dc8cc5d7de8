#include "topos/tensor/tensor_impl.hpp"

namespace topos {

template class Tensor<float>;
template class Tensor<double>;
template bool same_bits(const Tensor<float>&, const Tensor<float>&);
template bool same_bits(const Tensor<double>&, const Tensor<double>&);
template std::string describe(const Tensor<float>&);
template std::string describe(const Tensor<double>&);

}  // namespace topos
