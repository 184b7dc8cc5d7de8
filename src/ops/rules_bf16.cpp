#include "topos/ops/held_tensor.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template Tensor<Bf16> evaluate(const Operation&, std::span<const Tensor<Bf16>>, const Shape&);
template std::array<std::optional<Tensor<Bf16>>, max_arity> vjp(const Operation&,
                                                                const Linearization<Tensor<Bf16>>&);
template std::array<std::optional<HeldTensor<Bf16>>, max_arity> vjp(const Operation&,
                                                                    const Linearization<HeldTensor<Bf16>>&);
template Tensor<Bf16> Tensor<Bf16>::apply(const Operation&, std::span<const Tensor<Bf16>>,
                                          const std::source_location&);

}  // namespace topos
