// The functions behind map(), one family a file: out[i] = f(x[i], ...), i < count; `out` may be an operand.
#pragma once

#include <cstddef>

#include "kernels/map.hpp"

namespace topos::kernels {

// arithmetic.cpp: negate and sqrt, and every binary function but power.
void arithmetic(UnaryMap function, const float* x, float* out, std::size_t count);
void arithmetic(UnaryMap function, const double* x, double* out, std::size_t count);
void arithmetic(BinaryMap function, const float* x, const float* y, float* out, std::size_t count);
void arithmetic(BinaryMap function, const double* x, const double* y, double* out, std::size_t count);

// bf16.cpp
void round_to_bf16(const float* x, float* out, std::size_t count);

// exponential.cpp
void exp(const float* x, float* out, std::size_t count);
void expm1(const float* x, float* out, std::size_t count);
void tanh(const float* x, float* out, std::size_t count);

// logarithm.cpp
void log(const float* x, float* out, std::size_t count);
void log1p(const float* x, float* out, std::size_t count);

// trigonometric.cpp
void sin(const float* x, float* out, std::size_t count);
void cos(const float* x, float* out, std::size_t count);

// error_function.cpp
void erf(const float* x, float* out, std::size_t count);

// power.cpp
void power(const float* x, const float* y, float* out, std::size_t count);

// map.cpp: the same of f64, element by element
void exp(const double* x, double* out, std::size_t count);
void log(const double* x, double* out, std::size_t count);
void tanh(const double* x, double* out, std::size_t count);
void sin(const double* x, double* out, std::size_t count);
void cos(const double* x, double* out, std::size_t count);
void log1p(const double* x, double* out, std::size_t count);
void expm1(const double* x, double* out, std::size_t count);
void erf(const double* x, double* out, std::size_t count);
void round_to_bf16(const double* x, double* out, std::size_t count);

}  // namespace topos::kernels
