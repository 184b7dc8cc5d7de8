#include "topos/ops/held_tensor.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template Tensor<double> evaluate(const Operation&, std::span<const Tensor<double>>, const Shape&);
template std::array<std::optional<Tensor<double>>, max_arity> vjp(const Operation&,
                                                                  const Linearization<Tensor<double>>&);
template std::array<std::optional<HeldTensor<double>>, max_arity> vjp(
    const Operation&, const Linearization<HeldTensor<double>>&);
template Tensor<double> Tensor<double>::apply(const Operation&, std::span<const Tensor<double>>,
                                              const std::source_location&);

}  // namespace topos
