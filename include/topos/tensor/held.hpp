// A tensor rounded to what its node is held in.
#pragma once

#include "topos/element/precision.hpp"
#include "topos/tensor/convert.hpp"

namespace topos {

/// Every element rounded once to the precision, which for other elements than float is always `working`.
template <class E>
Tensor<E> held(Tensor<E> x, Precision precision) {
  if constexpr (std::same_as<E, float>) {
    if (precision == Precision::bf16) return convert<float>(convert<Bf16>(x));
  }
  return x;
}

}  // namespace topos
