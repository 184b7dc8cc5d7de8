// Natural logarithm and cosine as FreeBSD's msun computes them, on the ranges that normal draws need.
//
// The bits of the captured draws are msun's. topos::math's functions are nearer to the exact values and
// therefore differ from them in the last place of about one f64 draw in ten.
#pragma once

namespace topos::detail::msun {

/// Natural logarithm of a normal x > 0.
double log(double x);
/// Cosine of 0 <= x < 9 pi / 4.
double cos(double x);

}  // namespace topos::detail::msun
