// The element functions: the arithmetic of every map operation, specified to the bit.
//
// float:  correctly rounded (to nearest even, subnormals kept); `pow` with the reservation stated there.
// double: a fixed sequence of IEEE 754 operations and fused multiply-adds, error below 0.500001 ulp in
//         every test, hence the same bits on every machine. The C library's own functions are never called.
//
// Special values follow C99 Annex F; a NaN operand gives a quiet NaN. All functions assume the default
// rounding mode and no flushing of subnormals. Method and bounds: docs/element-functions.md.
#pragma once

#include <cmath>

namespace topos::math {

/// e^x. exp(-inf) = +0, exp(+inf) = +inf, exp(+-0) = 1.
float exp(float x);
double exp(double x);

/// e^x - 1, accurate near 0. expm1(+-0) = +-0, expm1(-inf) = -1, expm1(+inf) = +inf.
float expm1(float x);
double expm1(double x);

/// Natural logarithm. log(+-0) = -inf, log(1) = +0, log(+inf) = +inf, NaN below 0.
float log(float x);
double log(double x);

/// log(1 + x), accurate near 0. log1p(+-0) = +-0, log1p(-1) = -inf, log1p(+inf) = +inf, NaN below -1.
float log1p(float x);
double log1p(double x);

/// Hyperbolic tangent: odd, never above 1 in magnitude. tanh(+-0) = +-0, tanh(+-inf) = +-1.
float tanh(float x);
double tanh(double x);

/// Sine of x radians, with exact range reduction for every finite x. sin(+-0) = +-0; NaN at +-inf.
float sin(float x);
double sin(double x);

/// Cosine of x radians, by the same reduction. cos(+-0) = 1; NaN at +-inf.
float cos(float x);
double cos(double x);

/// Error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x: odd, never above 1 in magnitude.
float erf(float x);
double erf(double x);

/// x^y with the full table of C99 F.10.4.4: pow(x, +-0) = pow(1, y) = 1 even for a NaN, a negative x takes
/// integer y only and gives NaN otherwise. The float form rounds every result that 25 bits hold exactly, ties
/// included, by exact arithmetic; any other one correctly unless it lies within about 2^-90 of a tie.
float pow(float x, float y);
double pow(double x, double y);

/// Square root: one IEEE 754 operation. sqrt(-0) = -0, NaN below 0.
inline float sqrt(float x) { return std::sqrt(x); }
inline double sqrt(double x) { return std::sqrt(x); }

}  // namespace topos::math
