// exp, expm1 and tanh.
#include "exponential_kernel.hpp"
#include "rounding.hpp"
#include "topos/element/math.hpp"

#include <limits>

namespace topos::math {
namespace {

using detail::DoubleDouble;

/// e^x for |x| <= 700: the power of two applies without rounding.
template <class Number>
TOPOS_INLINED inline Number exp_kernel(double x) {
  const auto e = detail::exponential(detail::to<Number>({x, 0}));
  return e.mantissa() * detail::power_of_two(e.exponent);
}

/// e^x - 1 for |x| <= 700. Near 0 table and scale are 1 and the difference is exact.
template <class Number>
TOPOS_INLINED inline Number expm1_kernel(double x) {
  const auto e = detail::exponential(detail::to<Number>({x, 0}));
  const Number scaled = e.table * detail::power_of_two(e.exponent);
  return (scaled - 1.0) + scaled * e.growth;
}

/// tanh x = g / (g + 2) with g = e^2x - 1, for 0 <= x <= 300.
template <class Number>
TOPOS_INLINED inline Number tanh_kernel(double x) {
  const Number growth = expm1_kernel<Number>(2 * x);
  return growth / (growth + 2.0);
}

}  // namespace

float exp(float x) {
  if (!(std::fabs(x) <= 104.0f)) {  // 2^-150 > e^-104
    if (std::isnan(x)) return x + x;
    return x > 0 ? std::numeric_limits<float>::infinity() : 0.0f;
  }
  return detail::round_or(exp_kernel<double>(x), detail::quick_margin,
                          [=]() TOPOS_INLINED { return exp_kernel<DoubleDouble>(x); });
}

double exp(double x) {
  if (!(std::fabs(x) <= 746)) {  // 2^-1075 > e^-746
    if (std::isnan(x)) return x + x;
    return x > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return detail::with_fma([=]() TOPOS_INLINED {
    const auto e = detail::exponential(DoubleDouble{x, 0});
    return detail::scale_and_round(e.mantissa(), e.exponent);
  });
}

float expm1(float x) {
  if (x == 0) return x;
  if (!(std::fabs(x) <= 104.0f)) {
    if (std::isnan(x)) return x + x;
    return x > 0 ? std::numeric_limits<float>::infinity() : -1.0f;
  }
  return detail::round_or(expm1_kernel<double>(x), detail::quick_margin,
                          [=]() TOPOS_INLINED { return expm1_kernel<DoubleDouble>(x); });
}

double expm1(double x) {
  if (std::fabs(x) < 0x1p-54) return x;  // x + x^2/2 rounds to x
  if (x < -40) return -1.0;              // e^-40 is below half an ulp of 1
  if (!(x <= 80)) return exp(x);         // the 1 is below e^80 * 2^-115
  return detail::with_fma([=]() TOPOS_INLINED { return expm1_kernel<DoubleDouble>(x).hi; });
}

float tanh(float x) {
  if (x == 0) return x;
  if (!(std::fabs(x) <= 22.0f)) return std::isnan(x) ? x + x : std::copysign(1.0f, x);
  const double magnitude = std::fabs(x);
  const float result = detail::round_or(tanh_kernel<double>(magnitude), detail::quick_margin,
                                        [=]() TOPOS_INLINED { return tanh_kernel<DoubleDouble>(magnitude); });
  return std::copysign(result, x);
}

double tanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-27) return x;                                             // x - x^3/3 rounds to x
  if (!(magnitude <= 22)) return std::isnan(x) ? x + x : std::copysign(1.0, x);  // 1 - 2 e^-44 rounds to 1
  const double result =
      detail::with_fma([=]() TOPOS_INLINED { return tanh_kernel<DoubleDouble>(magnitude).hi; });
  return std::copysign(result, x);
}

}  // namespace topos::math
