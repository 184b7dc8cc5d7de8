// Numbers and constants as MLIR reads them.
#pragma once

#include <string>

#include "topos/tensor/tensor.hpp"

namespace topos {

/// The shortest decimal that MLIR reads back as the same element, always with a point: "0.1", "1.0e-5"; the
/// bits in hexadecimal for NaN and the infinities, which have no decimal. A bf16 has the decimal of its
/// float.
std::string stablehlo_literal(float x);
std::string stablehlo_literal(double x);
std::string stablehlo_literal(Bf16 x);

/// Above this many elements a constant that is not a splat is written as a hexadecimal blob: MLIR parses
/// those some forty times faster than decimals, and they are half the size.
inline constexpr Extent largest_decimal_constant = 1024;

/// "dense<...>": one literal when every element equals the first, else nested lists, else a blob.
template <class E>
std::string dense_attribute(const Tensor<E>& tensor);
/// The same for index constants, which never print as a splat.
std::string dense_index_attribute(const Shape& shape, std::span<const std::int64_t> elements);

#define TOPOS_INSTANTIATE(E) extern template std::string dense_attribute(const Tensor<E>&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
