// What the elements of one node are held in: its tape's own element, or fewer bits of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "topos/element/bf16.hpp"

namespace topos {

/// `working` is the tape's element. A node of a tape of float may be held in bf16: its elements are floats,
/// each of them a bf16 number. Its value is what the operation gives in f32, rounded once.
enum class Precision : std::uint8_t { working, bf16 };

/// As it prints: "bf16", "working".
inline std::string_view name_of(Precision precision) {
  return precision == Precision::bf16 ? "bf16" : "working";
}

/// The element types that a value of a tape of E can be held in: E itself, and Bf16 on a tape of float.
template <class To, class E>
concept HeldIn = std::same_as<To, E> || (std::same_as<To, Bf16> && std::same_as<E, float>);

namespace detail {

/// What a value of a tape of E that is held in To says of itself.
template <class To, class E>
  requires HeldIn<To, E>
inline constexpr Precision precision_for = std::same_as<To, E> ? Precision::working : Precision::bf16;

/// The element nearest to `value` that the precision has, rounded once.
template <class E>
E held_number(double value, Precision precision) {
  if constexpr (std::same_as<E, float>) {
    if (precision == Precision::bf16) return Bf16(value);
  }
  return ElementTraits<E>::from_double(value);
}

/// The precision's lowest finite number.
template <class E>
E lowest_finite_held(Precision precision) {
  if constexpr (std::same_as<E, float>) {
    if (precision == Precision::bf16) return ElementTraits<Bf16>::lowest_finite();
  }
  return ElementTraits<E>::lowest_finite();
}

}  // namespace detail
}  // namespace topos
