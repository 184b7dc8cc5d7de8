// What is known of many elements at once, for steps that may leave work out when it cannot change a bit.
#pragma once

#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// The largest magnitude of `rows` times `count` contiguous elements, rows `stride` apart, infinity included;
/// NaN if one of them is; 0 for none.
template <class F>
F largest_magnitude(const F* x, Extent rows, Extent stride, Extent count);

/// Whether one of `count` contiguous elements is -0.
template <class F>
bool has_negative_zero(const F* x, Extent count);

template <>
float largest_magnitude(const float* x, Extent rows, Extent stride, Extent count);
template <>
double largest_magnitude(const double* x, Extent rows, Extent stride, Extent count);
template <>
bool has_negative_zero(const float* x, Extent count);
template <>
bool has_negative_zero(const double* x, Extent count);

}  // namespace topos::kernels
