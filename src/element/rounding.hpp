// From a kernel's value to the result: the rounding test, the last rounding, the choice of instruction set.
#pragma once

#include "double_double.hpp"

namespace topos::detail {

#if defined(__x86_64__) && !defined(__FMA__)
template <class Body>
__attribute__((target("fma"), noinline)) auto run_with_fma(const Body& body) {
  return body();
}

/// body(), compiled a second time with the FMA instruction for processors that have it. Without it std::fma
/// is a library call that returns the same bits.
template <class Body>
TOPOS_INLINED inline auto with_fma(const Body& body) {
  if (__builtin_cpu_supports("fma")) return run_with_fma(body);
  return body();
}
#else
template <class Body>
TOPOS_INLINED inline auto with_fma(const Body& body) {
  return body();
}
#endif

/// The float nearest to hi + lo. The sum is first rounded to odd in double, so that the second rounding sees
/// on which side of a tie it lies.
inline float round_to_float(DoubleDouble value) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value.hi);
  if (value.lo != 0 && bits % 2 == 0) {
    const bool outward = (value.lo > 0) == (value.hi > 0);
    bits = outward ? bits + 1 : bits - 1;
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

/// (hi + lo) * 2^exponent rounded once, subnormal results included, for normal hi and |exponent| <= 1100.
inline double scale_and_round(DoubleDouble value, int exponent) {
  if (exponent > -900 || std::fabs(value.hi) >= power_of_two(-1022 - exponent)) {
    const int half = exponent / 2;
    return value.hi * power_of_two(half) * power_of_two(exponent - half);
  }
  // The result is subnormal: round the magnitude to a multiple of the smallest subnormal, taken before
  // scaling, by adding 2^52 of them. lo only matters where the sum met a tie.
  const double quantum = power_of_two(-1074 - exponent);
  const double shift = 0x1p52 * quantum;
  const double low = std::signbit(value.hi) ? -value.lo : value.lo;
  const DoubleDouble sum = fast_two_sum(shift, std::fabs(value.hi));
  double multiple = sum.hi - shift;
  if (sum.lo == quantum / 2 && low > 0) multiple += quantum;
  if (sum.lo == -quantum / 2 && low < 0) multiple -= quantum;
  const int half = exponent / 2;
  return std::copysign(multiple * power_of_two(half) * power_of_two(exponent - half), value.hi);
}

template <class Accurate>
__attribute__((noinline, cold)) float round_accurately(const Accurate& accurate) {
  return round_to_float(with_fma(accurate));
}

/// Ziv's strategy: if every number within quick * (1 -+ margin) rounds to the same float, that is the result;
/// otherwise accurate() is asked for the value as a DoubleDouble.
template <class Accurate>
TOPOS_INLINED inline float round_or(double quick, double margin, const Accurate& accurate) {
  const double slack = quick * margin;
  const float below = static_cast<float>(quick - slack);
  const float above = static_cast<float>(quick + slack);
  if (below == above) [[likely]]
    return below;
  return round_accurately(accurate);
}

/// Bounds the relative error of every kernel of one argument evaluated in double. The largest error seen is
/// 2^-47.5, in expm1 and tanh; docs/element-functions.md has the sweeps.
inline constexpr double quick_margin = 0x1p-43;

}  // namespace topos::detail
