#include "topos/ops/held_tensor.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template Tensor<float> evaluate(const Operation&, std::span<const Tensor<float>>, const Shape&);
template std::array<std::optional<Tensor<float>>, max_arity> vjp(const Operation&,
                                                                 const Linearization<Tensor<float>>&);
template std::array<std::optional<HeldTensor<float>>, max_arity> vjp(const Operation&,
                                                                     const Linearization<HeldTensor<float>>&);
template Tensor<float> Tensor<float>::apply(const Operation&, std::span<const Tensor<float>>,
                                            const std::source_location&);

}  // namespace topos
