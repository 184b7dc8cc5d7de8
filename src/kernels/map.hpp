// Elementwise functions over contiguous elements. Bits equal to the reference loops (element/math.hpp).
#pragma once

#include <cstddef>

namespace topos::kernels {

enum class UnaryMap { negate, exp, log, sqrt, tanh, sin, cos, log1p, expm1, erf, erf_derivative };
enum class BinaryMap { add, subtract, multiply, divide, maximum, step, power };

/// out[i] = f(x[i]), i < count. `out` may be `x`. F: float, double.
template <class F>
void map(UnaryMap function, const F* x, F* out, std::size_t count);

/// out[i] = f(x[i], y[i]), i < count. `out` may be `x` or `y`. F: float, double.
template <class F>
void map(BinaryMap function, const F* x, const F* y, F* out, std::size_t count);

template <>
void map(UnaryMap function, const float* x, float* out, std::size_t count);
template <>
void map(UnaryMap function, const double* x, double* out, std::size_t count);
template <>
void map(BinaryMap function, const float* x, const float* y, float* out, std::size_t count);
template <>
void map(BinaryMap function, const double* x, const double* y, double* out, std::size_t count);

}  // namespace topos::kernels
