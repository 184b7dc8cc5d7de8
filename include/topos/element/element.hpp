// What topos asks of the number type that a tape computes in.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#include "topos/element/math.hpp"

namespace topos {

/// Facts about an element type. A new element specialises this and brings its arithmetic and functions.
template <class E>
struct ElementTraits;

/// IEEE 754 formats share one definition: arithmetic is the processor's, functions are topos::math's.
template <std::floating_point F>
struct IeeeTraits {
  // Constants, rounded once, and facts.
  static F from_double(double value) { return static_cast<F>(value); }
  static F lowest_finite() { return std::numeric_limits<F>::lowest(); }
  static F negative_infinity() { return -std::numeric_limits<F>::infinity(); }
  static bool is_finite(F x) { return std::isfinite(x); }

  // The operations' scalars. Those of topos::math are specified there.
  static F fused_multiply_add(F a, F b, F c) { return std::fma(a, b, c); }  ///< a b + c, rounded once
  static F sqrt(F x) { return std::sqrt(x); }
  static F exp(F x) { return math::exp(x); }
  static F log(F x) { return math::log(x); }
  static F tanh(F x) { return math::tanh(x); }
  static F sin(F x) { return math::sin(x); }
  static F cos(F x) { return math::cos(x); }
  static F log1p(F x) { return math::log1p(x); }
  static F expm1(F x) { return math::expm1(x); }
  static F erf(F x) { return math::erf(x); }
  static F pow(F x, F y) { return math::pow(x, y); }
  /// StableHLO's maximum: NaN if either operand is, and +0 above -0.
  static F maximum(F a, F b) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  /// 1 where a >= b, else 0.
  static F step(F a, F b) { return a >= b ? F(1) : F(0); }
};

template <>
struct ElementTraits<float> : IeeeTraits<float> {
  static constexpr std::string_view name = "f32";
};

template <>
struct ElementTraits<double> : IeeeTraits<double> {
  static constexpr std::string_view name = "f64";
};

namespace detail {
template <class E>
struct AccumulatorOf {
  using type = E;
};
template <class E>
  requires requires { typename ElementTraits<E>::Accumulator; }
struct AccumulatorOf<E> {
  using type = typename ElementTraits<E>::Accumulator;
};
}  // namespace detail

/// What products and sums of E are carried in before they are rounded to E: E itself, unless its traits name
/// a wider Accumulator. Each converts to the other.
template <class E>
using Accumulator = typename detail::AccumulatorOf<E>::type;

/// A number a tape can compute in: +, -, *, /, unary -, == and the functions of ElementTraits.
template <class E>
concept Element = std::copyable<E> && requires(const E a, const E b) {
  { a + b } -> std::convertible_to<E>;
  { a - b } -> std::convertible_to<E>;
  { a* b } -> std::convertible_to<E>;
  { a / b } -> std::convertible_to<E>;
  { -a } -> std::convertible_to<E>;
  { a == b } -> std::convertible_to<bool>;
  { ElementTraits<E>::from_double(1.0) } -> std::same_as<E>;
  { ElementTraits<E>::fused_multiply_add(a, b, a) } -> std::same_as<E>;
  { ElementTraits<E>::tanh(a) } -> std::same_as<E>;
  { ElementTraits<E>::step(a, b) } -> std::same_as<E>;
};

/// The IEEE bits of an element.
inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace topos
