// After FreeBSD's e_log.c, k_cos.c, k_sin.c and e_rem_pio2.c, which carry this notice:
//
//   Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//   Developed at SunPro, a Sun Microsystems, Inc. business.
//   Permission to use, copy, modify, and distribute this software is freely granted, provided that this
//   notice is preserved.
#include "nn/msun.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace topos::detail::msun {
namespace {

std::uint32_t high_word(double x) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32);
}

int exponent(double x) { return static_cast<int>(high_word(x) >> 20 & 0x7FF); }

/// A number as a sum of two.
struct Split {
  double head, tail;
};

/// Cosine and sine for magnitudes up to about pi / 4.
double cos_near_zero(Split x) {
  const double z = x.head * x.head;
  const double w = z * z;
  const double r =
      z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      w * w *
          (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const double half = 0.5 * z;
  const double rest = 1.0 - half;
  return rest + (((1.0 - rest) - half) + (z * r - x.head * x.tail));
}

double sin_near_zero(Split x) {
  const double z = x.head * x.head;
  const double w = z * z;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                   z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
  const double v = z * x.head;
  return x.head - ((z * (0.5 * x.tail - v * r) - x.tail) - v * -1.66666666666666324348e-01);
}

/// x - n pi / 2. pi / 2 comes in parts of 33 bits, so that the products with n are exact; beside each part
/// lies what remains of pi / 2. Where x and n pi / 2 agree in their high words, further parts follow what
/// cancels.
Split less_quarter_turns(double x, int n) {
  constexpr std::array part{1.57079632673412561417e+00, 6.07710050630396597660e-11,
                            2.02226624871116645580e-21};
  constexpr std::array remaining{6.07710050650619224932e-11, 2.02226624879595063154e-21,
                                 8.47842766036889956997e-32};
  constexpr std::array cancelled{0, 16, 49};  // more bits than these ask for the part
  constexpr std::array<std::uint32_t, 5> turns{0, 0x3FF921FB, 0x400921FB, 0x4012D97C, 0x401921FB};
  const bool cancels = high_word(x) == turns[static_cast<std::size_t>(n)];
  double r = x - n * part[0];
  double w = n * remaining[0];
  double head = r - w;
  for (std::size_t i = 1; cancels && i < 3 && exponent(x) - exponent(head) > cancelled[i]; ++i) {
    const double before = r;
    w = n * part[i];
    r = before - w;
    w = n * remaining[i] - ((before - r) - w);
    head = r - w;
  }
  return {head, (r - head) - w};
}

}  // namespace

double log(double x) {
  // x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2)
  if (x == 1.0) return 0.0;
  const std::uint32_t high = high_word(x) + (0x3FF00000 - 0x3FE6A09E);
  const double k = static_cast<int>(high >> 20) - 0x3FF;
  const std::uint64_t low = std::bit_cast<std::uint64_t>(x) & 0xFFFFFFFF;
  const std::uint64_t reduced = std::uint64_t{(high & 0xFFFFF) + 0x3FE6A09E} << 32 | low;
  const double f = std::bit_cast<double>(reduced) - 1.0;
  const double half_square = 0.5 * f * f;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double r = odd + even;
  return s * (half_square + r) + k * 1.90821492927058770002e-10 - half_square + f +
         k * 6.93147180369123816490e-01;
}

double cos(double x) {
  const std::uint32_t high = high_word(x);
  if (high < 0x3E46A09E) return 1.0;
  if (high <= 0x3FE921FB) return cos_near_zero({x, 0.0});
  const int n = high <= 0x4002D97C ? 1 : high <= 0x400F6A7A ? 2 : high <= 0x4015FDBC ? 3 : 4;
  const Split rest = less_quarter_turns(x, n);
  if (n == 1) return -sin_near_zero(rest);
  if (n == 2) return -cos_near_zero(rest);
  return n == 3 ? sin_near_zero(rest) : cos_near_zero(rest);
}

}  // namespace topos::detail::msun
