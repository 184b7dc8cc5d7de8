#include "inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "topos/element/math.hpp"
#include "topos/nn/initialize.hpp"

namespace exhaustive {
namespace {

using topos::SplitMix64;

/// One of the values, each as often.
template <std::size_t Size>
double one_of(const double (&values)[Size], SplitMix64& random) {
  return values[random.next() % Size];
}

double uniform(double low, double high, SplitMix64& random) { return low + (high - low) * random.unit(); }

/// An integer of up to `bits` bits, every number of bits as often.
double integer(unsigned bits, SplitMix64& random) {
  const std::uint64_t draw = random.next();
  return static_cast<double>(draw >> (64 - bits + random.next() % bits));
}

/// A magnitude with an exponent in smallest ... largest, every one as often.
double any_magnitude(int smallest, int largest, SplitMix64& random) {
  const auto exponents = static_cast<std::uint64_t>(largest - smallest + 1);
  const int exponent = smallest + static_cast<int>(random.next() % exponents);
  return std::ldexp(1 + random.unit(), exponent);
}

/// Up to 2^52 units in the last place from the centre, small distances, down to those of a number of `digits`
/// bits, as likely as large ones; of the centre's sign.
double near(double centre, SplitMix64& random, int digits = 53) {
  const std::uint64_t largest = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  const std::uint64_t middle = std::bit_cast<std::uint64_t>(std::fabs(centre));
  const std::uint64_t draw = random.next();
  const std::uint64_t distance = draw >> (12 + random.next() % static_cast<unsigned>(digits - 1));
  const bool outward = random.next() % 2 != 0;
  const std::uint64_t bits =
      outward ? std::min(middle + distance, largest) : middle - std::min(distance, middle);
  return std::copysign(std::bit_cast<double>(bits), centre);
}

// Where a result turns infinite, subnormal or 0, where the scalar functions distinguish cases, and where
// their argument reductions go to the next table entry.

double exp_centre(SplitMix64& random) {
  if (random.next() % 2 == 0)
    return (std::floor(uniform(-34500, 32800, random)) + 0.5) * std::numbers::ln2 / 32;
  return one_of(
      {0.0, 709.782712893384, -708.3964185322641, -744.4400719213812, -745.1332191019412, 746, -746}, random);
}
double expm1_centre(SplitMix64& random) {
  if (random.next() % 2 == 0)
    return (std::floor(uniform(-1900, 3800, random)) + 0.5) * std::numbers::ln2 / 32;
  return one_of({0.0, 0x1p-54, -0x1p-54, 0x1p-26, -0x1p-26, -37.42994775023705, -40, 80, 709.782712893384},
                random);
}
double tanh_centre(SplitMix64& random) {
  if (random.next() % 2 == 0)
    return (std::floor(uniform(-2100, 2100, random)) + 0.5) * std::numbers::ln2 / 64;
  return one_of({0.0, 0x1p-27, -0x1p-27, 0.5493061443340549, 19.0615474653985, -19.0615474653985, 22, -22},
                random);
}
double log_centre(SplitMix64& random) {
  if (random.next() % 2 == 0) return 1;
  const double step = (std::floor(uniform(23, 48, random)) + 0.5) / 32;
  const int exponent = static_cast<int>(uniform(-1074, 1023, random));
  return std::ldexp(random.next() % 2 == 0 ? step : 1, exponent);
}
double log1p_centre(SplitMix64& random) {
  if (random.next() % 2 == 0) return (std::floor(uniform(23, 48, random)) + 0.5) / 32 - 1;
  return one_of({0.0, -1, 1, 0x1p-54, -0x1p-54, 0x1p-53, -0x1p-53, 0x1p53, 0x1p54}, random);
}
double sine_centre(SplitMix64& random) {
  if (random.next() % 2 == 0) return integer(40, random) * (std::numbers::pi / 4);
  // The last one is the double nearest to a multiple of pi/2 (J.-M. Muller, Elementary Functions,
  // table 11.1).
  return one_of({0.0, 0x1p-26, 0x1p-27, 0.785, 6381956970095103.0 * 0x1p797}, random);
}
double erf_centre(SplitMix64& random) {
  if (random.next() % 2 == 0) return (std::floor(uniform(-48, 48, random)) + 0.5) / 8;
  return one_of({0.0, 0x1p-54, -0x1p-54, 0x1p-1022, 5.863584748755167, 5.921587195794508, 6, -6}, random);
}
/// Half a unit in the last place above a root that has 53 bits, squared: the root lies close to a tie.
double sqrt_centre(SplitMix64& random) {
  const double root = any_magnitude(-500, 500, random);
  if (random.next() % 2 == 0) return root * root;
  return std::fma(root, root, root * (std::nextafter(root, 0x1p1000) - root));
}

struct Domain {
  const char* function;
  double lowest;          // below it there is no result
  double low, high;       // of the uniform draws
  int smallest, largest;  // their exponents otherwise
  double (*centre)(SplitMix64&);
};

constexpr double unbounded = -std::numeric_limits<double>::infinity();
const Domain domains[] = {
    {"exp", unbounded, -746, 710, -60, 9, exp_centre},
    {"log", 0, 0, 3, -1074, 1023, log_centre},
    {"log1p", -1, -1, 3, -60, 1023, log1p_centre},
    {"expm1", unbounded, -41, 90, -60, 9, expm1_centre},
    {"tanh", unbounded, -23, 23, -60, 5, tanh_centre},
    {"sin", unbounded, -100, 100, -30, 1023, sine_centre},
    {"cos", unbounded, -100, 100, -30, 1023, sine_centre},
    {"erf", unbounded, -6.5, 6.5, -60, 3, erf_centre},
    {"sqrt", 0, 0, 4, -1074, 1023, sqrt_centre},
};

}  // namespace

double double_input(const std::string& function, std::uint64_t number) {
  const Domain& domain = *std::find_if(std::begin(domains), std::end(domains),
                                       [&](const Domain& one) { return one.function == function; });
  SplitMix64 random(number);
  double x;
  switch (number % 3) {
    case 0:
      x = any_magnitude(domain.smallest, domain.largest, random);
      if (random.next() % 2 == 0) x = -x;
      break;
    case 1:
      x = uniform(domain.low, domain.high, random);
      break;
    default:
      x = near(domain.centre(random), random);
  }
  return x < domain.lowest ? -x : x;
}

template <class F>
Pair<F> power_input(std::uint64_t number) {
  using Limits = std::numeric_limits<F>;
  constexpr int smallest = Limits::min_exponent - Limits::digits, largest = Limits::max_exponent - 1;
  constexpr double low = (smallest - 1) * std::numbers::ln2, high = (largest + 1) * std::numbers::ln2;
  SplitMix64 random(number);
  const auto rounded = [](double x, double y) { return Pair<F>{static_cast<F>(x), static_cast<F>(y)}; };
  // The exponent for which x^y is e^logarithm, once x is an F.
  const auto reaching = [&](double x, double logarithm) {
    const double base = static_cast<F>(x);
    return rounded(base, base > 0 && base != 1 ? logarithm / topos::math::log(base) : 1);
  };
  const auto any_sign = [&](double value) { return random.next() % 2 == 0 ? value : -value; };
  switch (number % 6) {
    case 0:
    case 1: {
      const double x = any_magnitude(smallest, largest, random);
      return reaching(x, uniform(low, high, random));
    }
    case 2: {
      const double x = uniform(0.5, 2, random);
      return reaching(x, uniform(low, high, random));
    }
    case 3: {  // x or the result near 1, or a result near the ends of the range
      const double centre = random.next() % 2 == 0 ? 1 : uniform(0, 10, random);
      const double x = near(centre, random, Limits::digits);
      const double ends[] = {low, low + std::numbers::ln2, Limits::min_exponent * std::numbers::ln2, high};
      if (random.next() % 2 == 0) return reaching(x, near(one_of(ends, random), random, Limits::digits));
      return reaching(x, any_sign(any_magnitude(-2 * Limits::digits, 0, random)));
    }
    case 4: {  // few bits: powers, roots and ties that are exact, and their neighbours
      const double significand = integer(Limits::digits / 2 + 1, random);
      const double root = std::ldexp(significand, static_cast<int>(uniform(-70, 60, random)));
      const double x = any_sign(random.next() % 2 == 0 ? root : root * root);
      const double quarters = integer(7, random);
      Pair<F> pair = rounded(x, any_sign(std::ldexp(quarters, -static_cast<int>(random.next() % 3))));
      if (random.next() % 2 == 0) pair.x = std::nextafter(pair.x, F{1});
      return pair;
    }
    default: {  // anything; integers for a negative x
      const double x = any_sign(any_magnitude(smallest, largest, random));
      const double y = any_sign(any_magnitude(-Limits::digits, Limits::digits + 2, random));
      return rounded(x, x < 0 ? std::nearbyint(y) : y);
    }
  }
}
template Pair<float> power_input(std::uint64_t);
template Pair<double> power_input(std::uint64_t);

}  // namespace exhaustive
