// Numbers and nested lists as text, the same in every locale.
#pragma once

#include <string>

#include "topos/tensor/shape.hpp"

namespace topos {

/// Shortest decimal that reads back as the same element, without an exponent: "1", "0.1", "0.00001", "NaN".
std::string describe_element(float x);
std::string describe_element(double x);

namespace detail {

/// The digits and decimal exponent of the shortest decimal that reads back: x = 0.d1d2d3… × 10^exponent.
struct ShortestDecimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};
ShortestDecimal shortest_decimal(float finite);
ShortestDecimal shortest_decimal(double finite);
/// The decimal written out, integers without a point.
std::string positional(const ShortestDecimal& decimal);

/// Brackets per axis around element(i), i counting row-major; just the element for rank 0.
template <class ElementText>
std::string nested_list(const Shape& shape, ElementText element) {
  if (shape.rank() == 0) return element(0);
  std::string text;
  const auto rank = static_cast<std::size_t>(shape.rank());
  if (shape.volume() == 0) {
    // Only the axes before the first empty one have anything to enclose.
    std::size_t depth = 0;
    while (shape[static_cast<Axis>(depth)] != 0) ++depth;
    return std::string(depth + 1, '[') + std::string(depth + 1, ']');
  }
  std::vector<Extent> index(rank, 0);
  text.append(rank, '[');
  for (std::size_t i = 0;; ++i) {
    text += element(i);
    std::size_t closed = 0;
    while (closed < rank && ++index[rank - 1 - closed] == shape[static_cast<Axis>(rank - 1 - closed)]) {
      index[rank - 1 - closed] = 0;
      ++closed;
    }
    text.append(closed, ']');
    if (closed == rank) return text;
    text += ", ";
    text.append(closed, '[');
  }
}

}  // namespace detail
}  // namespace topos
