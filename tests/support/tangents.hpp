// What jvp and vjp, being transposes, must say of each other.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "topos/tensor/tensor.hpp"

namespace topos::testing {

/// A sum of products and the sum of their magnitudes.
struct Pairing {
  double value = 0.0;
  double magnitude = 0.0;

  template <class E>
  void add(const Tensor<E>& a, const Tensor<E>& b) {
    const Elements<E> left = a.elements();
    const Elements<E> right = b.elements();
    ASSERT_EQ(a.shape(), b.shape());
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double product = static_cast<double>(left[i]) * static_cast<double>(right[i]);
      value += product;
      magnitude += std::fabs(product);
    }
  }
};

/// <w, Jt> and <J'w, t> are the same products, added in two orders and rounded on two ways: `roundings` of
/// E's last place, of the larger sum of magnitudes or of 1.
template <class E>
::testing::AssertionResult agree(const Pairing& forward, const Pairing& reverse, double roundings) {
  const double size = std::max({1.0, forward.magnitude, reverse.magnitude});
  const double bound = roundings * static_cast<double>(std::numeric_limits<E>::epsilon()) * size;
  if (std::fabs(forward.value - reverse.value) <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "<w, Jt> = " << forward.value << " and <J'w, t> = " << reverse.value
                                       << " are further apart than " << bound;
}

}  // namespace topos::testing
