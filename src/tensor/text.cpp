#include "topos/tensor/text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace topos {
namespace detail {
namespace {

template <class F>
ShortestDecimal decompose(F finite) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), finite, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  ShortestDecimal result;
  if (text.front() == '-') {
    result.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  std::string_view exponent = text.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  result.exponent += 1;
  if (result.digits == "0") result.exponent = 1;
  return result;
}

template <class F>
std::string describe_ieee(F x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return positional(decompose(x));
}

}  // namespace

ShortestDecimal shortest_decimal(float finite) { return decompose(finite); }
ShortestDecimal shortest_decimal(double finite) { return decompose(finite); }

std::string positional(const ShortestDecimal& decimal) {
  const int count = static_cast<int>(decimal.digits.size());
  std::string text = decimal.negative ? "-" : "";
  if (decimal.exponent <= 0) {
    text += "0." + std::string(static_cast<std::size_t>(-decimal.exponent), '0') + decimal.digits;
  } else if (decimal.exponent >= count) {
    text += decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent - count), '0');
  } else {
    text += decimal.digits.substr(0, static_cast<std::size_t>(decimal.exponent)) + "." +
            decimal.digits.substr(static_cast<std::size_t>(decimal.exponent));
  }
  return text;
}

}  // namespace detail

std::string describe_element(float x) { return detail::describe_ieee(x); }
std::string describe_element(double x) { return detail::describe_ieee(x); }

}  // namespace topos
