// e^x by a table of 2^(i/32) and a short series; shared by exp, expm1, tanh and pow.
#pragma once

#include "double_double.hpp"

namespace topos::detail {

// Constants: mpmath 1.3 at 1500 bits, hi = double(value), lo = double(value - hi). `step` is ln(2)/32, split
// so that n * step_head is exact for |n| < 2^17 (the head has 36 bits).
inline constexpr double step_head = 0x1.62e42fefap-6;
inline constexpr DoubleDouble step_tail = {0x1.cf79abc9e3b3ap-45, -0x1.ff0342542fc33p-99};
inline constexpr double inverse_step = 0x1.71547652b82fep+5;

/// 2^(i/32)
inline constexpr DoubleDouble power_table[32] = {
    {1.0, 0.0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54},
};

/// (e^r - 1) / r = 1 + r/2 + r^2/6 + ...; for |r| <= ln(2)/64 the first omitted term is below 2^-110.
inline constexpr Series<7, 6, 12> growth_series = {{
    {1.0, 0.0},
    {0x1p-1, 0.0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
}};

/// e^x = 2^exponent * table * (1 + growth).
template <class Number>
struct Exponential {
  Number table;
  Number growth;
  int exponent;

  /// e^x / 2^exponent, between 0.98 and 2.02.
  TOPOS_INLINED Number mantissa() const { return table + table * growth; }
};

/// Argument reduction x = n * ln(2)/32 + r (P. Tang, "Table-driven implementation of the exponential
/// function", ACM TOMS 15(2), 1989), for |x| <= 1000.
template <class Number>
TOPOS_INLINED inline Exponential<Number> exponential(Number x) {
  const double n = nearest_integer(leading(x) * inverse_step);
  const Number r = (x - n * step_head) - to<Number>(step_tail) * n;
  const int index = static_cast<int>(n);
  return {to<Number>(power_table[index & 31]), r * growth_series(r), index >> 5};
}

}  // namespace topos::detail
