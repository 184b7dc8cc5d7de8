// The float nearest to the exact value: for a function of one argument from the C library's double; its long
// double where the double lies too near to a tie; MPFR where that does.
#pragma once

#include <mpfr.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "functions.hpp"

namespace exhaustive {

/// How many inputs of one argument the double did not decide, and how many the long double neither.
struct Decided {
  std::atomic<std::uint64_t> not_by_double = 0, by_arbitrary = 0;
};

/// Equal bits; any NaN equals any other.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// The float to which every number within value (1 -+ slack) rounds, if there is one.
template <class Wide>
std::optional<float> rounded_for_certain(Wide value, Wide slack) {
  if (std::isnan(value) || std::isinf(value)) return static_cast<float>(value);
  const float below = static_cast<float>(value - std::fabs(value) * slack);
  const float above = static_cast<float>(value + std::fabs(value) * slack);
  if (below != above) return std::nullopt;
  return below;
}

/// For one thread. MPFR's exponents are those of float while it lives.
class FloatReference {
 public:
  explicit FloatReference(Decided& decided) : decided_(decided) {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_inits2(24, x_, y_, result_, static_cast<mpfr_ptr>(nullptr));
  }
  ~FloatReference() { mpfr_clears(x_, y_, result_, static_cast<mpfr_ptr>(nullptr)); }
  FloatReference(const FloatReference&) = delete;
  FloatReference& operator=(const FloatReference&) = delete;

  /// Of x^y by MPFR alone.
  float operator()(const Function& function, float x, float y) {
    if (function.is_power()) return arbitrary(function, x, y);
    // The C library's errors are a few units of the last place: 2^-51 and 2^-62. The slack is far more.
    if (const auto exact = rounded_for_certain(function.twice(x), 0x1p-45)) return *exact;
    ++decided_.not_by_double;
    if (const auto exact = rounded_for_certain(function.extended(x), 0x1p-56L)) return *exact;
    ++decided_.by_arbitrary;
    return arbitrary(function, x, y);
  }

 private:
  float arbitrary(const Function& function, float x, float y) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    mpfr_set_flt(y_, y, MPFR_RNDN);
    const int direction = function.exact(result_, x_, y_);
    mpfr_subnormalize(result_, direction, MPFR_RNDN);
    return mpfr_get_flt(result_, MPFR_RNDN);
  }

  Decided& decided_;
  mpfr_t x_, y_, result_;
};

}  // namespace exhaustive
