// The natural logarithm by a table of reciprocals and the series of atanh; shared by log, log1p and pow.
#pragma once

#include "double_double.hpp"

namespace topos::detail {

/// A reciprocal r near 32/i and -log(r). r is a multiple of 2^-9; r = 1 for i = 32 keeps log exact near 1.
struct LogarithmStep {
  double reciprocal;
  DoubleDouble logarithm;
};

// Constants: mpmath 1.3 at 1500 bits, hi = double(value), lo = double(value - hi).
inline constexpr DoubleDouble ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// i = 24 ... 48
inline constexpr LogarithmStep logarithm_table[25] = {
    {0x1.558p+0, {-0x1.27161913f853dp-2, -0x1.e3ec2ac9676b8p-57}},
    {0x1.478p+0, {-0x1.f871b28955045p-3, -0x1.4ad6c8812d31ap-63}},
    {0x1.3bp+0, {-0x1.a8becfc882f19p-3, 0x1.e8c37918c39ebp-58}},
    {0x1.2f8p+0, {-0x1.5c940075972b9p-3, -0x1.adccb73379cc5p-58}},
    {0x1.248p+0, {-0x1.10f8e422539b1p-3, -0x1.8f798d39f1b7dp-58}},
    {0x1.1a8p+0, {-0x1.9375e55595edep-4, 0x1.e463f9e4dd92p-59}},
    {0x1.11p+0, {-0x1.075983598e471p-4, -0x1.80da5333c45b8p-59}},
    {0x1.088p+0, {-0x1.0b94f7c196176p-5, -0x1.da43f761f4dc4p-59}},
    {1.0, {0.0, 0.0}},
    {0x1.fp-1, {0x1.0415d89e74444p-5, 0x1.c05cf1d753622p-59}},
    {0x1.e2p-1, {0x1.eea31c006b87cp-5, -0x1.3e4fc93b7b66cp-59}},
    {0x1.d4p-1, {0x1.700d30aeac0e1p-4, -0x1.72566212cdd05p-61}},
    {0x1.c7p-1, {0x1.e3707ee30487bp-4, 0x1.09ccecd579d99p-58}},
    {0x1.bbp-1, {0x1.28753bc11aba5p-3, -0x1.6394d9fa33311p-57}},
    {0x1.afp-1, {0x1.60b3100b09476p-3, -0x1.5b2623e05016bp-58}},
    {0x1.a4p-1, {0x1.95a5adcf7017fp-3, 0x1.142c507fb7a3dp-58}},
    {0x1.9ap-1, {0x1.c6ffbc6f00f71p-3, -0x1.8e58b2c57a4a5p-57}},
    {0x1.9p-1, {0x1.f991c6cb3b379p-3, 0x1.f665066f980a2p-57}},
    {0x1.86p-1, {0x1.16b5ccbacfb73p-2, 0x1.66fbd28b40935p-56}},
    {0x1.7dp-1, {0x1.2e9e2bce12286p-2, 0x1.8251a3b83d97ap-62}},
    {0x1.74p-1, {0x1.4718dc271c41bp-2, 0x1.8fb4c14c56eefp-60}},
    {0x1.6cp-1, {0x1.5d5bddf595f3p-2, -0x1.6541148cbb8a2p-56}},
    {0x1.64p-1, {0x1.741d876c67bb1p-2, 0x1.84a4ee3059583p-56}},
    {0x1.5dp-1, {0x1.8873658327ccfp-2, -0x1.c43eff892d8dp-58}},
    {0x1.55p-1, {0x1.a0325ed14fda4p-2, 0x1.efa7950fb57e7p-56}},
};

/// atanh(f) / f = 1 + f^2/3 + f^4/5 + ... in f^2; for |f| <= 0.011 the first omitted term is below 2^-108.
inline constexpr Series<5, 4, 8> atanh_series = {{
    {1.0, 0.0},
    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
    {0x1.1111111111111p-4, 0x1.1111111111111p-60},
}};

/// log(hi + lo) for positive normal hi and |lo| <= ulp(hi). With hi + lo = 2^k m and z = m r - 1,
/// log = k ln 2 - log r + 2 atanh(z / (2 + z)), as in P. Tang, "Table-driven implementation of the logarithm
/// function", ACM TOMS 16(4), 1990. k and r are 0 and 1 near 1, so the error stays relative there.
template <class Number>
TOPOS_INLINED inline Number logarithm(double hi, double lo) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(hi);
  // Exponent such that 0.75 <= m < 1.5: the addition carries into it from m = 1.5 on.
  const int exponent = static_cast<int>((bits + (std::uint64_t{1} << 51)) >> 52) - 1023;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const LogarithmStep& step = logarithm_table[static_cast<int>(m * 32 + 0.5) - 24];
  const double m_low = exponent > 1000 ? 0 : lo * power_of_two(-exponent);
  const Number z = (product<Number>(m, step.reciprocal) - 1.0) + m_low * step.reciprocal;
  const Number f = z / (z + 2.0);
  return (to<Number>(ln2) * exponent + to<Number>(step.logarithm)) + (f * 2.0) * atanh_series(f * f);
}

}  // namespace topos::detail
