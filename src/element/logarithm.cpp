// log and log1p.
#include "logarithm_kernel.hpp"
#include "rounding.hpp"
#include "topos/element/math.hpp"

#include <limits>

namespace topos::math {
namespace {

using detail::DoubleDouble;

template <class Number>
TOPOS_INLINED inline Number log1p_kernel(double x) {
  const DoubleDouble sum = detail::two_sum(1.0, x);
  return detail::logarithm<Number>(sum.hi, sum.lo);
}

/// log of a number that is not positive and finite.
template <class T>
T log_special(T x) {
  if (x == 0) return -std::numeric_limits<T>::infinity();
  if (x < 0) return std::numeric_limits<T>::quiet_NaN();
  return x + x;
}

}  // namespace

float log(float x) {
  if (!(x > 0 && x <= std::numeric_limits<float>::max())) return log_special(x);
  return detail::round_or(detail::logarithm<double>(x, 0), detail::quick_margin,
                          [=]() TOPOS_INLINED { return detail::logarithm<DoubleDouble>(x, 0); });
}

double log(double x) {
  if (!(x > 0 && x <= std::numeric_limits<double>::max())) return log_special(x);
  return detail::with_fma([=]() TOPOS_INLINED {
    if (x >= std::numeric_limits<double>::min()) return detail::logarithm<DoubleDouble>(x, 0).hi;
    return (detail::logarithm<DoubleDouble>(x * 0x1p54, 0) - detail::ln2 * 54.0).hi;
  });
}

float log1p(float x) {
  if (x == 0) return x;
  if (!(x > -1 && x <= std::numeric_limits<float>::max())) return log_special(1 + x);
  return detail::round_or(log1p_kernel<double>(x), detail::quick_margin,
                          [=]() TOPOS_INLINED { return log1p_kernel<DoubleDouble>(x); });
}

double log1p(double x) {
  if (std::fabs(x) < 0x1p-54) return x;  // x - x^2/2 rounds to x
  if (!(x > -1 && x <= std::numeric_limits<double>::max())) return log_special(1 + x);
  return detail::with_fma([=]() TOPOS_INLINED { return log1p_kernel<DoubleDouble>(x).hi; });
}

}  // namespace topos::math
