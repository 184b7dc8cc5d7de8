// Derivatives by central differences in f64: what a derivative rule is compared with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "topos/tensor/tensor.hpp"

namespace topos::testing {

/// d f / d x_i = (f(x + h e_i) - f(x - h e_i)) / 2h for each element i, h = 6e-6 max(1, |x_i|), the step at
/// which the two errors of the formula, h^2 f''' / 6 by truncation and 1e-16 f / h by rounding, are of one
/// size.
inline Tensor<double> central_differences(const std::function<double(const Tensor<double>&)>& f,
                                          const Tensor<double>& x) {
  const Elements<double> at = x.elements();
  std::vector<double> result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<double> moved(at.begin(), at.end());
    const double step = 6e-6 * std::max(1.0, std::fabs(at[i]));
    const double above = at[i] + step;
    const double below = at[i] - step;
    moved[i] = above;
    const double f_above = f(Tensor<double>(x.shape(), moved));
    moved[i] = below;
    const double f_below = f(Tensor<double>(x.shape(), moved));
    result.push_back((f_above - f_below) / (above - below));
  }
  return Tensor<double>(x.shape(), std::move(result));
}

/// Both errors of the differences are near 1e-10 for the functions and points the tests use, whose values and
/// third derivatives stay below about 100; a wrong rule is off by far more.
inline constexpr double difference_tolerance = 1e-7;

/// Each element within difference_tolerance, relative to 1 + its magnitude.
inline ::testing::AssertionResult near_differences(const Tensor<double>& gradient,
                                                   const Tensor<double>& differences) {
  if (gradient.shape() != differences.shape()) {
    return ::testing::AssertionFailure() << "a gradient of shape " << describe(gradient.shape()) << " for "
                                         << describe(differences.shape());
  }
  const Elements<double> a = gradient.elements();
  const Elements<double> b = differences.elements();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::fabs(a[i] - b[i]) <= difference_tolerance * (1.0 + std::fabs(b[i])))) {
      return ::testing::AssertionFailure()
             << "element " << i << " of the gradient " << describe(gradient)
             << " differs from the central differences " << describe(differences);
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace topos::testing
