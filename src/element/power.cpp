// pow.
#include "exponential_kernel.hpp"
#include "logarithm_kernel.hpp"
#include "rounding.hpp"
#include "topos/element/math.hpp"

#include <limits>
#include <optional>

namespace topos::math {
namespace {

using detail::DoubleDouble;

template <class T>
bool is_integer(T y) {
  return std::fabs(y) >= 1 / std::numeric_limits<T>::epsilon() || y == std::trunc(y);
}

template <class T>
bool is_odd_integer(T y) {
  return std::fabs(y) < 2 / std::numeric_limits<T>::epsilon() && is_integer(y) && std::fmod(y, T{2}) != 0;
}

/// C99 F.10.4.4: every case in which an operand is 0, 1 or not finite, or x is negative and y no integer.
template <class T>
std::optional<T> special_power(T x, T y) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (y == 0 || x == 1) return T{1};
  if (std::isnan(x) || std::isnan(y)) return x + y;
  if (std::isinf(y)) {
    const T magnitude = std::fabs(x);
    if (magnitude == 1) return T{1};
    return (magnitude > 1) == (y > 0) ? infinity : T{0};
  }
  if (x == 0 || std::isinf(x)) {
    const T magnitude = (x == 0) == (y > 0) ? T{0} : infinity;
    return is_odd_integer(y) ? std::copysign(magnitude, x) : magnitude;
  }
  if (x < 0 && !is_integer(y)) return std::numeric_limits<T>::quiet_NaN();
  return std::nullopt;
}

/// x^y where it has at most 25 significant bits: a float or the midpoint of two, which no approximation could
/// tell from its neighbourhood. x > 0 and x != 1 is m 2^e with m odd; a root must be exact, a reciprocal
/// needs m = 1, and m^y < 2^25 bounds y.
std::optional<double> exact_power(double x, double y) {
  for (; !is_integer(y); y *= 2) {
    const double root = std::sqrt(x);
    if (root != static_cast<float>(root) || root * root != x) return std::nullopt;
    x = root;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  if ((bits & 0xfffffffffffff) == 0) return detail::power_of_two(static_cast<int>(exponent * y));
  if (y < 0 || y > 15) return std::nullopt;  // 3^16 > 2^25
  const double significand = std::bit_cast<double>((bits & 0xfffffffffffff) | (std::uint64_t{1023} << 52));
  double result = 1;
  for (int n = 0; n < static_cast<int>(y); ++n) {
    result *= significand;
    if ((std::bit_cast<std::uint64_t>(result) & 0xfffffff) != 0) return std::nullopt;
  }
  return result * detail::power_of_two(exponent * static_cast<int>(y));
}

/// e^(y log x) in two parts, for x > 0 and a product within 1000.
template <class Number>
TOPOS_INLINED inline Number power_kernel(double x, double y) {
  const auto e = detail::exponential(detail::logarithm<Number>(x, 0) * y);
  return e.mantissa() * detail::power_of_two(e.exponent);
}

/// Relative error of the quick phase: 2^-47 of a logarithm times at most 104.
constexpr double power_margin = 0x1p-38;

}  // namespace

float pow(float x, float y) {
  if (const auto special = special_power(x, y)) return *special;
  const float sign = x < 0 && is_odd_integer(y) ? -1.0f : 1.0f;
  const double base = std::fabs(x);
  if (base == 1) return sign;
  const double product = detail::logarithm<double>(base, 0) * y;
  if (product > 104) return sign * std::numeric_limits<float>::infinity();
  if (product < -104.5) return sign * 0.0f;  // e^-104.5 < 2^-150
  const auto e = detail::exponential(product);
  const double quick = e.mantissa() * detail::power_of_two(e.exponent);
  return sign * detail::round_or(quick, power_margin, [=]() TOPOS_INLINED {
           if (const auto exact = exact_power(base, y)) return DoubleDouble{*exact, 0};
           return power_kernel<DoubleDouble>(base, y);
         });
}

double pow(double x, double y) {
  if (const auto special = special_power(x, y)) return *special;
  const double sign = x < 0 && is_odd_integer(y) ? -1.0 : 1.0;
  const double base = std::fabs(x);
  if (base == 1) return sign;
  return sign * detail::with_fma([=]() TOPOS_INLINED {
           const bool subnormal = base < std::numeric_limits<double>::min();
           DoubleDouble logarithm = detail::logarithm<DoubleDouble>(subnormal ? base * 0x1p54 : base, 0);
           if (subnormal) logarithm = logarithm - detail::ln2 * 54.0;
           const double estimate = logarithm.hi * y;
           if (estimate > 710) return std::numeric_limits<double>::infinity();
           if (estimate < -746) return 0.0;
           if (std::fabs(estimate) < 0x1p-55) return 1.0;
           const auto e = detail::exponential(logarithm * y);
           return detail::scale_and_round(e.mantissa(), e.exponent);
         });
}

}  // namespace topos::math
