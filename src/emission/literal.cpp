#include "topos/emission/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "topos/tensor/text.hpp"

namespace topos {
namespace {

static_assert(std::endian::native == std::endian::little, "blobs are written in memory order, little-endian");

template <class E>
std::string bit_literal(E x) {
  return fmt::format("0x{:0{}X}", bits_of(x), 2 * sizeof(E));
}

template <class F>
std::string literal(F x) {
  if (!std::isfinite(x)) return bit_literal(x);
  const detail::ShortestDecimal decimal = detail::shortest_decimal(x);
  const bool is_positional = x == 0 || (std::fabs(x) >= F(1e-4) && std::fabs(x) < F(1e16));
  if (is_positional) {
    const std::string text = detail::positional(decimal);
    return text.find('.') == std::string::npos ? text + ".0" : text;
  }
  return fmt::format("{}{}.{}e{}", decimal.negative ? "-" : "", decimal.digits[0],
                     decimal.digits.size() > 1 ? decimal.digits.substr(1) : "0", decimal.exponent - 1);
}

template <class T>
std::string blob(std::span<const T> elements) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text = "\"0x";
  text.reserve(elements.size_bytes() * 2 + 4);
  for (const std::byte byte : std::as_bytes(elements)) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text + '"';
}

}  // namespace

std::string stablehlo_literal(float x) {
  // MLIR reads a decimal as f64 and rounds that to f32. Of all f32 just this one's shortest
  // decimal, 7.038531e-26, then reaches the neighbour, being rounded twice; the digits of the f64 are exact.
  if ((bits_of(x) & 0x7FFFFFFF) == 0x15AE43FD) return literal(static_cast<double>(x));
  return literal(x);
}
std::string stablehlo_literal(double x) { return literal(x); }
std::string stablehlo_literal(Bf16 x) {
  return ElementTraits<Bf16>::is_finite(x) ? literal(float{x}) : bit_literal(x);
}

template <class E>
std::string dense_attribute(const Tensor<E>& tensor) {
  if (tensor.volume() == 0) return "dense<>";
  if (tensor.is_uniform()) {
    const E one = tensor.narrowed_to_one().item();
    if (one == one) return fmt::format("dense<{}>", stablehlo_literal(one));
  }
  const Elements<E> all = tensor.elements();
  // Zeros of both signs are equal and are no splat.
  const bool splat = std::all_of(all.begin(), all.end(), [&](const E& element) {
    return element == all[0] && bits_of(element) == bits_of(all[0]);
  });
  if (splat) return fmt::format("dense<{}>", stablehlo_literal(all[0]));
  if (tensor.volume() > largest_decimal_constant) return fmt::format("dense<{}>", blob(all.span()));
  return fmt::format("dense<{}>", detail::nested_list(tensor.shape(), [&](std::size_t i) {
                       return stablehlo_literal(all[i]);
                     }));
}

std::string dense_index_attribute(const Shape& shape, std::span<const std::int64_t> elements) {
  if (shape.volume() == 0) return "dense<>";
  if (shape.volume() > largest_decimal_constant) return fmt::format("dense<{}>", blob(elements));
  return fmt::format(
      "dense<{}>", detail::nested_list(shape, [&](std::size_t i) { return fmt::format("{}", elements[i]); }));
}

#define TOPOS_INSTANTIATE(E) template std::string dense_attribute(const Tensor<E>&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
