// Normalizations of x [rows, features]: the variance is the mean of squared differences, never a difference
// of squares, which would cancel.
#pragma once

#include "topos/composites/axes.hpp"

namespace topos {

namespace detail {

/// x / sqrt(variance + epsilon), the deviation repeated along `axis`.
template <Recordable R>
R over_deviation(const R& x, const R& variance, const R& epsilon, Axis axis, const Where& where) {
  const R spread_epsilon = broadcast_like(epsilon, variance, where);
  const R deviation = sqrt(add(variance, spread_epsilon, where), where);
  const R spread_deviation = broadcast_along_like(deviation, axis, x, where);
  return divide(x, spread_deviation, where);
}

/// x scale + shift, both [features].
template <Recordable R>
R scaled_and_shifted(const R& x, const R& scale, const R& shift, const Where& where) {
  const R spread_scale = broadcast_along_like(scale, 0, x, where);
  const R scaled = multiply(x, spread_scale, where);
  const R spread_shift = broadcast_along_like(shift, 0, x, where);
  return add(scaled, spread_shift, where);
}

}  // namespace detail

/// A batch's normalized rows, and the statistics they were normalized by.
template <class R>
struct Normalization {
  R output;         ///< [rows, features]
  R mean;           ///< [features]
  R variance;       ///< [features], the mean squared deviation: divided by the count of rows
  Extent rows = 0;  ///< that the statistics are of
};

/// (x - mean) / sqrt(variance + epsilon) scale + shift, with the statistics of each column; scale and shift
/// [features], epsilon of one element.
template <Recordable R>
Normalization<R> batch_norm(const R& x, const R& scale, const R& shift, const R& epsilon,
                            const Where& where = Where::current()) {
  const R mean = mean_along(x, 0, where);
  const R centered = subtract(x, broadcast_along_like(mean, 0, x, where), where);
  const R variance = mean_along(multiply(centered, centered, where), 0, where);
  const R standard = detail::over_deviation(centered, variance, epsilon, 0, where);
  return {detail::scaled_and_shifted(standard, scale, shift, where), mean, variance, shape_of(x, where)[0]};
}

/// The same with given statistics [features].
template <Recordable R>
R batch_norm_with(const R& x, const R& mean, const R& variance, const R& scale, const R& shift,
                  const R& epsilon, const Where& where = Where::current()) {
  const R centered = subtract(x, broadcast_along_like(mean, 0, x, where), where);
  const R standard = detail::over_deviation(centered, variance, epsilon, 0, where);
  return detail::scaled_and_shifted(standard, scale, shift, where);
}

/// How a row's mean is subtracted.
enum class Centering {
  once,   ///< as it is rounded: an error of |mean| roundings
  twice,  ///< and then the mean of what is left, so that a large mean costs no accuracy at all
};

/// The same with the statistics of each row.
template <Recordable R>
R layer_norm(const R& x, const R& scale, const R& shift, const R& epsilon,
             Centering centering = Centering::once, const Where& where = Where::current()) {
  const auto without_mean = [&](const R& rows) {
    const R mean = mean_along(rows, 1, where);
    return subtract(rows, broadcast_along_like(mean, 1, rows, where), where);
  };
  R centered = without_mean(x);
  if (centering == Centering::twice) centered = without_mean(centered);
  const R variance = mean_along(multiply(centered, centered, where), 1, where);
  const R standard = detail::over_deviation(centered, variance, epsilon, 1, where);
  return detail::scaled_and_shifted(standard, scale, shift, where);
}

/// x / sqrt(mean(x^2) + epsilon) scale, with the mean of each row.
template <Recordable R>
R rms_norm(const R& x, const R& scale, const R& epsilon, const Where& where = Where::current()) {
  const R mean_square = mean_along(multiply(x, x, where), 1, where);
  const R standard = detail::over_deviation(x, mean_square, epsilon, 1, where);
  const R spread_scale = broadcast_along_like(scale, 0, x, where);
  return multiply(standard, spread_scale, where);
}

}  // namespace topos
