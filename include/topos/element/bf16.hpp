// bf16: the upper half of an f32. Arithmetic and functions are f32's, each result rounded once.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>

#include "topos/element/element.hpp"

namespace topos {

/// One sign, eight exponent and seven fraction bits, with IEEE 754's zeros, subnormals, infinities and NaNs.
/// Widens to float implicitly, since that is exact; narrowing to it is explicit and rounds to nearest even.
class Bf16 {
 public:
  constexpr Bf16() = default;
  /// Rounded to nearest even, subnormals kept; a NaN stays one, with the upper bits that it has.
  explicit constexpr Bf16(float x) : bits_(rounded(std::bit_cast<std::uint32_t>(x))) {}
  /// Rounded once, not by way of the nearest float: through a float rounded to odd, whose 16 bits more still
  /// tell less from more than half a unit.
  explicit constexpr Bf16(double x) : Bf16(rounded_to_odd(x)) {}
  template <std::integral Integer>
  explicit constexpr Bf16(Integer x) : Bf16(static_cast<double>(x)) {}

  /// Of any 16 bits, NaNs as they are.
  static constexpr Bf16 from_bits(std::uint16_t bits) {
    Bf16 x;
    x.bits_ = bits;
    return x;
  }
  /// The upper half of the bits of the float it equals.
  constexpr std::uint16_t to_bits() const { return bits_; }
  // NOLINTNEXTLINE(google-explicit-constructor): every bf16 is a float
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }

  friend constexpr Bf16 operator+(Bf16 a, Bf16 b) { return Bf16(float{a} + float{b}); }
  friend constexpr Bf16 operator-(Bf16 a, Bf16 b) { return Bf16(float{a} - float{b}); }
  friend constexpr Bf16 operator*(Bf16 a, Bf16 b) { return Bf16(float{a} * float{b}); }
  friend constexpr Bf16 operator/(Bf16 a, Bf16 b) { return Bf16(float{a} / float{b}); }
  friend constexpr Bf16 operator-(Bf16 a) {
    return from_bits(static_cast<std::uint16_t>(a.bits_ ^ sign_bit));
  }
  // As numbers: zeros of both signs are equal, and a NaN equals nothing.
  friend constexpr bool operator==(Bf16 a, Bf16 b) { return float{a} == float{b}; }
  friend constexpr std::partial_ordering operator<=>(Bf16 a, Bf16 b) { return float{a} <=> float{b}; }

 private:
  static constexpr std::uint16_t sign_bit = 0x8000;

  static constexpr std::uint16_t rounded(std::uint32_t bits) {
    const std::uint32_t upper = bits >> 16;
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    if (is_nan) return static_cast<std::uint16_t>((upper & 0x7F) != 0 ? upper : upper | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (upper & 1)) >> 16);
  }
  static constexpr float rounded_to_odd(double x) {
    const float nearest = static_cast<float>(x);
    const double back = nearest;
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (back == x || x != x || (bits & 1) == 1 || (bits & 0x7FFFFFFF) == 0x7F800000) return nearest;
    // The neighbour on the other side of x is odd; its bits are one more or less in magnitude.
    const bool below = (x < 0 ? -x : x) < (back < 0 ? -back : back);
    return std::bit_cast<float>(below ? bits - 1 : bits + 1);
  }

  std::uint16_t bits_ = 0;
};

template <>
struct ElementTraits<Bf16> {
  using F32 = ElementTraits<float>;
  using Accumulator = float;
  static constexpr std::string_view name = "bf16";
  static Bf16 from_double(double value) { return Bf16(value); }
  static Bf16 lowest_finite() { return Bf16::from_bits(0xFF7F); }
  static Bf16 negative_infinity() { return Bf16::from_bits(0xFF80); }
  static bool is_finite(Bf16 x) { return std::isfinite(float{x}); }
  static Bf16 fused_multiply_add(Bf16 a, Bf16 b, Bf16 c) {
    return Bf16(std::fma(float{a}, float{b}, float{c}));
  }
  static Bf16 sqrt(Bf16 x) { return Bf16(F32::sqrt(x)); }
  static Bf16 exp(Bf16 x) { return Bf16(F32::exp(x)); }
  static Bf16 log(Bf16 x) { return Bf16(F32::log(x)); }
  static Bf16 tanh(Bf16 x) { return Bf16(F32::tanh(x)); }
  static Bf16 sin(Bf16 x) { return Bf16(F32::sin(x)); }
  static Bf16 cos(Bf16 x) { return Bf16(F32::cos(x)); }
  static Bf16 log1p(Bf16 x) { return Bf16(F32::log1p(x)); }
  static Bf16 expm1(Bf16 x) { return Bf16(F32::expm1(x)); }
  static Bf16 erf(Bf16 x) { return Bf16(F32::erf(x)); }
  static Bf16 pow(Bf16 x, Bf16 y) { return Bf16(F32::pow(x, y)); }
  static Bf16 maximum(Bf16 a, Bf16 b) { return Bf16(F32::maximum(a, b)); }
  static Bf16 step(Bf16 a, Bf16 b) { return Bf16(F32::step(a, b)); }
};

inline std::uint16_t bits_of(Bf16 x) { return x.to_bits(); }

}  // namespace topos

/// The facts of the format, as for the built-in types.
template <>
class std::numeric_limits<topos::Bf16> : public std::numeric_limits<float> {
  using Bf16 = topos::Bf16;

 public:
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr Bf16 min() noexcept { return Bf16::from_bits(0x0080); }
  static constexpr Bf16 max() noexcept { return Bf16::from_bits(0x7F7F); }
  static constexpr Bf16 lowest() noexcept { return Bf16::from_bits(0xFF7F); }
  static constexpr Bf16 epsilon() noexcept { return Bf16::from_bits(0x3C00); }
  static constexpr Bf16 round_error() noexcept { return Bf16::from_bits(0x3F00); }
  static constexpr Bf16 infinity() noexcept { return Bf16::from_bits(0x7F80); }
  static constexpr Bf16 quiet_NaN() noexcept { return Bf16::from_bits(0x7FC0); }
  static constexpr Bf16 signaling_NaN() noexcept { return Bf16::from_bits(0x7FA0); }
  static constexpr Bf16 denorm_min() noexcept { return Bf16::from_bits(0x0001); }
};
