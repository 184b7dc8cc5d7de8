// The two number types in which an element function is evaluated: `double`, and `DoubleDouble`, an
// unevaluated sum of two doubles that holds about 104 bits. A kernel is a template over the type, written
// once.
//
// Error bounds of the operations (u = 2^-53) are those of M. Joldes, J.-M. Muller, V. Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017.
// Everything here relies on -ffp-contract=off: each operation rounds once.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// On a kernel: it must be inlined, so that `with_fma` compiles it for the instruction set of its caller.
#define TOPOS_INLINED __attribute__((always_inline))

namespace topos::detail {

/// hi + lo with hi the double nearest to the sum.
struct DoubleDouble {
  double hi;
  double lo;
};

/// a + b exactly, for |a| >= |b| or a = 0.
TOPOS_INLINED inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
TOPOS_INLINED inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a * b exactly, unless the low half falls below the subnormals.
TOPOS_INLINED inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

TOPOS_INLINED inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

/// Relative error at most 3 u^2, cancellation included.
TOPOS_INLINED inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.hi, b.hi);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  const DoubleDouble sum = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(sum.hi, low.lo + sum.lo);
}

/// Relative error at most 2 u^2.
TOPOS_INLINED inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble sum = two_sum(a.hi, b);
  return fast_two_sum(sum.hi, a.lo + sum.lo);
}

TOPOS_INLINED inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
TOPOS_INLINED inline DoubleDouble operator-(DoubleDouble a, double b) { return a + -b; }

/// Relative error at most 4 u^2.
TOPOS_INLINED inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  const double cross = std::fma(a.lo, b.hi, std::fma(a.hi, b.lo, a.lo * b.lo));
  return fast_two_sum(product.hi, product.lo + cross);
}

/// Relative error at most 2 u^2.
TOPOS_INLINED inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.hi, b);
  return fast_two_sum(product.hi, std::fma(a.lo, b, product.lo));
}

/// Relative error at most 15 u^2.
TOPOS_INLINED inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.hi / b.hi;
  const DoubleDouble back = b * quotient;
  return fast_two_sum(quotient, ((a.hi - back.hi) + (a.lo - back.lo)) / b.hi);
}

// What a kernel needs to be written once for both types.

template <class Number>
Number to(DoubleDouble value);
template <>
TOPOS_INLINED inline double to<double>(DoubleDouble value) {
  return value.hi;
}
template <>
TOPOS_INLINED inline DoubleDouble to<DoubleDouble>(DoubleDouble value) {
  return value;
}

template <class Number>
Number product(double a, double b);
template <>
TOPOS_INLINED inline double product<double>(double a, double b) {
  return a * b;
}
template <>
TOPOS_INLINED inline DoubleDouble product<DoubleDouble>(double a, double b) {
  return two_product(a, b);
}

TOPOS_INLINED inline double leading(double value) { return value; }
TOPOS_INLINED inline double leading(DoubleDouble value) { return value.hi; }

/// A power series c[0] + c[1] x + ... by Horner's rule. A double takes its first `Quick` terms. A
/// DoubleDouble takes all `Size`, those from `Paired` on in plain double: they contribute less than 2^-50 of
/// the sum.
template <std::size_t Quick, std::size_t Paired, std::size_t Size>
struct Series {
  DoubleDouble coefficients[Size];

  TOPOS_INLINED double operator()(double x) const {
    double sum = coefficients[Quick - 1].hi;
    for (std::size_t n = Quick - 1; n-- > 0;) sum = coefficients[n].hi + x * sum;
    return sum;
  }

  TOPOS_INLINED DoubleDouble operator()(DoubleDouble x) const {
    double tail = coefficients[Size - 1].hi;
    for (std::size_t n = Size - 1; n-- > Paired;) tail = coefficients[n].hi + x.hi * tail;
    DoubleDouble sum = coefficients[Paired - 1] + x * tail;
    for (std::size_t n = Paired - 1; n-- > 0;) sum = coefficients[n] + x * sum;
    return sum;
  }
};

/// The integer nearest to x, for |x| < 2^51.
TOPOS_INLINED inline double nearest_integer(double x) {
  constexpr double shift = 0x1.8p52;
  return (x + shift) - shift;
}

/// 2^exponent for -1022 <= exponent <= 1023.
TOPOS_INLINED inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace topos::detail
