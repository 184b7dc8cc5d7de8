// Elementwise functions over contiguous elements. Bits equal to the reference loops (element/math.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace topos::kernels {

/// round_to_bf16 gives the nearest bf16, ties to even, as an F.
enum class UnaryMap {
  negate,
  exp,
  log,
  sqrt,
  tanh,
  sin,
  cos,
  log1p,
  expm1,
  erf,
  erf_derivative,
  round_to_bf16
};
enum class BinaryMap { add, subtract, multiply, divide, maximum, step, power };

/// out[i] = f(x[i]), i < count. `out` may be `x`. F: float, double.
template <class F>
void map(UnaryMap function, const F* x, F* out, std::size_t count);

/// out[i] = f(x[i], y[i]), i < count. `out` may be `x` or `y`. F: float, double.
template <class F>
void map(BinaryMap function, const F* x, const F* y, F* out, std::size_t count);

/// 1 / divisor, for divide(); NaN where divide() cannot use it.
template <class F>
F reciprocal_of(F divisor) {
  const F magnitude = std::fabs(divisor);
  const bool is_usable = magnitude >= F{0x1p-60f} && magnitude <= F{0x1p60f};
  return is_usable ? 1 / divisor : std::numeric_limits<F>::quiet_NaN();
}

/// out[i] = x[i] / y[i], i < count, the bits of BinaryMap::divide; faster for f32. `out` may be `x`.
/// F: float, double.
template <class F>
void divide(const F* x, const F* y, const F* reciprocals_of_y, F* out, std::size_t count);

template <>
void divide(const float* x, const float* y, const float* reciprocals_of_y, float* out, std::size_t count);
template <>
void divide(const double* x, const double* y, const double* reciprocals_of_y, double* out, std::size_t count);
template <>
void map(UnaryMap function, const float* x, float* out, std::size_t count);
template <>
void map(UnaryMap function, const double* x, double* out, std::size_t count);
template <>
void map(BinaryMap function, const float* x, const float* y, float* out, std::size_t count);
template <>
void map(BinaryMap function, const double* x, const double* y, double* out, std::size_t count);

}  // namespace topos::kernels
