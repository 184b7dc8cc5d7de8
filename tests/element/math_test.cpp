// The element functions against MPFR: float by bits, double in units in the last place.
// script/exhaustive tries every float.
#include "topos/element/math.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace topos {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr double infinity_double = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

/// Of a double result, in units in the last place: half by the last rounding, the rest for the evaluation.
constexpr double error_limit = 0.500001;

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Equal bits; any NaN equals any other.
bool same(float a, float b) { return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)); }
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// An MPFR number of fixed precision.
class Number {
 public:
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

/// While it lives, MPFR has the exponent range of float, so that rounding to 24 bits is rounding to float.
class FloatRange {
 public:
  FloatRange() : low_(mpfr_get_emin()), high_(mpfr_get_emax()) {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
  }
  ~FloatRange() {
    mpfr_set_emin(low_);
    mpfr_set_emax(high_);
  }
  FloatRange(const FloatRange&) = delete;
  FloatRange& operator=(const FloatRange&) = delete;

 private:
  mpfr_exp_t low_, high_;
};

using Reference = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

struct Function {
  std::string name;
  float (*single)(float);
  double (*twice)(double);
  Reference reference;
  double (*library)(double);
  std::vector<double> trouble;  // centres around which a rounding is likely to go wrong
  bool symmetric;               // odd or even: the sign of x is set aside before anything is computed
  double low, high;             // the interval outside which the double function is constant or undefined
};

std::ostream& operator<<(std::ostream& out, const Function& function) { return out << function.name; }

/// The value rounded correctly to float by MPFR.
class FloatReference {
 public:
  float operator()(Reference function, float x) {
    FloatRange range;
    mpfr_set_flt(argument_, x, MPFR_RNDN);
    const int direction = function(result_, argument_, MPFR_RNDN);
    mpfr_subnormalize(result_, direction, MPFR_RNDN);
    return mpfr_get_flt(result_, MPFR_RNDN);
  }

  float power(float x, float y) {
    FloatRange range;
    mpfr_set_flt(argument_, x, MPFR_RNDN);
    mpfr_set_flt(exponent_, y, MPFR_RNDN);
    const int direction = mpfr_pow(result_, argument_, exponent_, MPFR_RNDN);
    mpfr_subnormalize(result_, direction, MPFR_RNDN);
    return mpfr_get_flt(result_, MPFR_RNDN);
  }

 private:
  Number argument_{24}, exponent_{24}, result_{24};
};

/// |actual - exact| in units of the last place of the exact value. An infinity is right where the exact value
/// rounds to it, and infinitely wrong elsewhere.
double error_in_ulps(double actual, mpfr_ptr exact) {
  if (std::isinf(actual)) return mpfr_get_d(exact, MPFR_RNDN) == actual ? 0 : infinity_double;
  if (mpfr_zero_p(exact)) return actual == 0 ? 0 : infinity_double;
  const long place = std::max<long>(mpfr_get_exp(exact) - 53, -1074);
  Number difference(160);
  mpfr_sub_d(difference, exact, actual, MPFR_RNDN);
  mpfr_div_2si(difference, difference, place, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

/// A figure for the test report.
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12f", value);
  return text;
}

class ElementFunction : public testing::TestWithParam<Function> {
 protected:
  /// Compares one float by bits; after a few reports only counts.
  void compare(float x) {
    const float expected = reference_(GetParam().reference, x);
    const float actual = GetParam().single(x);
    if (same(actual, expected)) return;
    if (++mismatches_ <= 5) {
      ADD_FAILURE() << GetParam().name << "(" << std::hexfloat << x << ") is " << expected << ", got "
                    << actual;
    }
  }

  /// The floats nearest to a centre, and its negative.
  void compare_around(double centre, std::uint32_t radius) {
    const std::uint32_t middle = bits_of(static_cast<float>(std::fabs(centre)));
    for (std::uint32_t offset = 0; offset <= 2 * radius; ++offset) {
      const std::uint32_t bits = middle + offset - std::min(radius, middle);
      compare(float_of(bits));
      compare(float_of(bits | 0x80000000u));
    }
  }

  FloatReference reference_;
  int mismatches_ = 0;
};

TEST_P(ElementFunction, FloatIsCorrectlyRoundedOverAllExponents) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 200000; ++i) compare(float_of(static_cast<std::uint32_t>(random())));
  EXPECT_EQ(mismatches_, 0);
}

TEST_P(ElementFunction, FloatIsCorrectlyRoundedAroundPowersOfTwo) {
  for (int exponent = -149; exponent <= 127; ++exponent) {
    compare_around(std::ldexp(1.0, exponent), 20);
    compare_around(std::ldexp(1.5, exponent), 3);
  }
  EXPECT_EQ(mismatches_, 0);
}

TEST_P(ElementFunction, FloatIsCorrectlyRoundedAtTroubleSpots) {
  for (const double centre : GetParam().trouble) compare_around(centre, 300);
  compare_around(0, 300);
  compare_around(std::numeric_limits<float>::max(), 300);
  EXPECT_EQ(mismatches_, 0);
}

TEST_P(ElementFunction, DoubleStaysBelowTheDocumentedError) {
  const Function& function = GetParam();
  std::mt19937_64 random(20240608);
  std::uniform_real_distribution<double> inside(function.low, function.high);
  std::vector<double> inputs;
  for (int i = 0; i < 20000; ++i) inputs.push_back(inside(random));
  for (int i = 0; i < 20000; ++i) inputs.push_back(std::bit_cast<double>(random()));
  for (int i = 0; i < 10000; ++i) {  // moderate magnitudes, where every function is curved
    inputs.push_back(std::ldexp(inside(random), -static_cast<int>(random() % 60)));
  }
  for (double centre : function.trouble) {
    double above = centre, below = centre;
    for (int i = 0; i < 20; ++i) {
      inputs.insert(inputs.end(), {above, below, -above, -below});
      above = std::nextafter(above, infinity_double);
      below = std::nextafter(below, 0.0);
    }
  }
  Number argument(53), exact(160);
  double worst = 0;
  for (const double x : inputs) {
    mpfr_set_d(argument, x, MPFR_RNDN);
    function.reference(exact, argument, MPFR_RNDN);
    const double actual = function.twice(x);
    if (!mpfr_number_p(exact)) {
      ASSERT_TRUE(same(actual, mpfr_get_d(exact, MPFR_RNDN))) << function.name << " of " << x;
      continue;
    }
    const double error = error_in_ulps(actual, exact);
    ASSERT_LE(error, error_limit) << function.name << "(" << std::hexfloat << x << ") gives " << actual;
    worst = std::max(worst, error);
  }
  RecordProperty("worst_error_in_ulps", digits(worst));
}

TEST_P(ElementFunction, NanGivesNan) {
  EXPECT_TRUE(std::isnan(GetParam().single(not_a_number)));
  EXPECT_TRUE(std::isnan(GetParam().twice(std::numeric_limits<double>::quiet_NaN())));
}

// Every 8,191st float (magnitudes only, where the sign is set aside). An independent double of the C library
// decides all but the inputs whose value it places within 2^-48 of a tie between two floats; for those, MPFR
// does.
TEST_P(ElementFunction, FloatsOverTheWholeRangeAreCorrectlyRounded) {
  constexpr std::uint64_t stride = 8191;
  const Function& function = GetParam();
  std::uint64_t undecided = 0;
  const std::uint64_t count = std::uint64_t{1} << (function.symmetric ? 31 : 32);
  for (std::uint64_t bits = 0; bits < count; bits += stride) {
    const float x = float_of(static_cast<std::uint32_t>(bits));
    const float actual = function.single(x);
    const double value = function.library(x);
    const double slack = std::isinf(value) ? 0 : std::fabs(value) * 0x1p-48;
    const float below = static_cast<float>(value - slack);
    const float above = static_cast<float>(value + slack);
    if (below == above && bits_of(actual) == bits_of(below)) continue;
    if (std::isnan(value) && std::isnan(actual)) continue;
    ++undecided;
    compare(x);
  }
  RecordProperty("decided_by_mpfr", std::to_string(undecided));
  EXPECT_EQ(mismatches_, 0);
}

std::vector<double> multiples_of_half_pi() {
  std::vector<double> centres;
  for (int k = 1; k <= 40; ++k) centres.push_back(k * pi / 2);
  for (int exponent = 5; exponent < 120; exponent += 4) centres.push_back(std::ldexp(pi, exponent));
  // The float and the double nearest to a multiple of pi/2 (J.-M. Muller, Elementary Functions, table 11.1).
  centres.push_back(std::ldexp(16367173.0, 72));
  centres.push_back(std::ldexp(6381956970095103.0, 797));
  return centres;
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementFunction,
    testing::Values(
        Function{"exp",
                 math::exp,
                 math::exp,
                 mpfr_exp,
                 std::exp,
                 {88.722839, 87.336545, 103.27893, 103.97208, 0x1p-24, 0x1p-25, 0.34657359, 709.782712893384,
                  708.3964185322641, 744.4400719213812, 745.1332191019412},
                 false,
                 -746,
                 710},
        Function{"expm1",
                 math::expm1,
                 math::expm1,
                 mpfr_expm1,
                 std::expm1,
                 {88.722839, 17.32868, 0x1p-12, 0x1p-24, 0.0108, 0.0217, 37.42994775023705, 709.782712893384},
                 false,
                 -41,
                 710},
        Function{"log",
                 math::log,
                 math::log,
                 mpfr_log,
                 std::log,
                 {1, 0.5, 2, 0.75, 1.5, 0.984375, 1.015625, 2.7182818, 0x1p-126, 0x1p-1022},
                 false,
                 0,
                 3},
        Function{"log1p",
                 math::log1p,
                 math::log1p,
                 mpfr_log1p,
                 std::log1p,
                 {1, 0.5, 0.4141892, 0.015625, 0x1p-12, 0x1p-24, 0x1p-53},
                 false,
                 -1,
                 3},
        Function{"tanh",
                 math::tanh,
                 math::tanh,
                 mpfr_tanh,
                 std::tanh,
                 {9.010913, 8.664339, 0.0054, 0x1p-12, 0.5493061, 19.0615474653985},
                 true,
                 -23,
                 23},
        Function{"sin", math::sin, math::sin, mpfr_sin, std::sin, multiples_of_half_pi(), true, -30, 30},
        Function{"cos", math::cos, math::cos, mpfr_cos, std::cos, multiples_of_half_pi(), true, -30, 30},
        Function{"erf",
                 math::erf,
                 math::erf,
                 mpfr_erf,
                 std::erf,
                 {3.9004288, 3.8325066, 0.0625, 0.1875, 1e-7, 0x1p-126, 5.863584748755167, 5.921587195794508,
                  0x1p-54, 0x1p-1022},
                 true,
                 -6.5,
                 6.5}),
    [](const auto& test) { return test.param.name; });

template <class T>
void expect_special_values() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const T zero = 0, one = 1;
  for (const auto odd : {static_cast<T (*)(T)>(math::expm1), static_cast<T (*)(T)>(math::log1p),
                         static_cast<T (*)(T)>(math::tanh), static_cast<T (*)(T)>(math::sin),
                         static_cast<T (*)(T)>(math::erf), static_cast<T (*)(T)>(math::sqrt)}) {
    EXPECT_TRUE(same(odd(zero), zero));
    EXPECT_TRUE(same(odd(-zero), -zero));
  }
  EXPECT_TRUE(same(math::exp(zero), one) && same(math::exp(-zero), one));
  EXPECT_TRUE(same(math::exp(inf), inf) && same(math::exp(-inf), zero));
  EXPECT_TRUE(same(math::expm1(inf), inf) && same(math::expm1(-inf), -one));
  EXPECT_TRUE(same(math::log(inf), inf) && same(math::log(zero), -inf) && same(math::log(-zero), -inf));
  EXPECT_TRUE(same(math::log(one), zero) && same(math::log(-one), nan) && same(math::log(-inf), nan));
  EXPECT_TRUE(same(math::log1p(inf), inf) && same(math::log1p(-one), -inf));
  EXPECT_TRUE(same(math::log1p(T(-1.5)), nan) && same(math::log1p(-inf), nan));
  EXPECT_TRUE(same(math::tanh(inf), one) && same(math::tanh(-inf), -one));
  EXPECT_TRUE(same(math::erf(inf), one) && same(math::erf(-inf), -one));
  EXPECT_TRUE(same(math::sin(inf), nan) && same(math::sin(-inf), nan));
  EXPECT_TRUE(same(math::cos(inf), nan) && same(math::cos(-inf), nan));
  EXPECT_TRUE(same(math::cos(zero), one) && same(math::cos(-zero), one));
  EXPECT_TRUE(same(math::sqrt(inf), inf) && same(math::sqrt(-inf), nan) && same(math::sqrt(-one), nan));
  EXPECT_TRUE(same(math::log(math::exp(T(800))), inf));
}

TEST(ElementMath, SpecialValuesOfFloatFollowAnnexF) { expect_special_values<float>(); }
TEST(ElementMath, SpecialValuesOfDoubleFollowAnnexF) { expect_special_values<double>(); }

TEST(ElementMath, SmallArgumentsAndSaturationKeepTheirDigits) {
  EXPECT_EQ(math::erf(3.9004288f), 0.99999994f);
  EXPECT_EQ(math::erf(4.5f), 1.0f);
  EXPECT_EQ(math::erf(1e-5f), 1.12837914e-5f);
  EXPECT_EQ(math::erf(1e-7f), 1.12837918e-7f);
  EXPECT_EQ(math::expm1(1e-10f), 1e-10f);
  EXPECT_EQ(math::log1p(1e-10f), 1e-10f);
  EXPECT_EQ(math::log1p(-0.4141892), -0.53475840843205963057);
  EXPECT_EQ(math::tanh(1e-5f), 9.9999997e-6f);
  EXPECT_EQ(math::tanh(9.5f), 1.0f);
  EXPECT_EQ(math::log(math::exp(100.0f)), infinity);
}

TEST(ElementMath, SubnormalsAreNumbers) {
  EXPECT_EQ(math::log(1e-40f), -92.10341f);
  EXPECT_EQ(math::exp(-103.0f), 0x1p-149f);
  for (const float x : {0x1p-149f, -0x1p-149f, 0x1.8p-130f}) {
    EXPECT_EQ(math::sin(x), x);
    EXPECT_EQ(math::tanh(x), x);
    EXPECT_EQ(math::expm1(x), x);
    EXPECT_EQ(math::log1p(x), x);
    EXPECT_EQ(math::pow(x, 1.0f), x);
  }
  for (const double x : {0x1p-1074, -0x1p-1074, 0x1.8p-1030}) {
    EXPECT_EQ(math::sin(x), x);
    EXPECT_EQ(math::tanh(x), x);
    EXPECT_EQ(math::expm1(x), x);
    EXPECT_EQ(math::log1p(x), x);
    EXPECT_EQ(math::pow(x, 1.0), x);
  }
}

template <class T>
void expect_special_powers() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T zero = 0, one = 1, huge = std::numeric_limits<T>::max(),
          tiny = std::numeric_limits<T>::denorm_min();
  const T values[] = {nan,    inf,     -inf,  zero,   -zero,   one,          -one,   T(0.5), T(-0.5),
                      T(1.5), T(-1.5), 2,     -2,     3,       -3,           T(4.0), -5,     huge,
                      -huge,  tiny,    -tiny, T(2.5), T(-2.5), T(8388607.0), T(1e10)};
  // The C library is trusted for the table of special cases only: exact results, no rounding.
  for (const T x : values) {
    for (const T y : values) {
      const bool special = x == 0 || y == 0 || std::fabs(x) == 1 || !std::isfinite(x) || !std::isfinite(y) ||
                           (x < 0 && y != std::trunc(y)) || y == 1;
      if (!special) continue;
      EXPECT_TRUE(same(math::pow(x, y), std::pow(x, y))) << "pow(" << x << ", " << y << ")";
    }
  }
  EXPECT_EQ(math::pow(T(-2), T(2)), 4);
  EXPECT_EQ(math::pow(T(-2), T(3)), -8);
  EXPECT_EQ(math::pow(T(-2), T(-3)), T(-0.125));
  EXPECT_TRUE(same(math::pow(zero, T(0.5)), zero) && same(math::pow(-zero, T(0.5)), zero));
  EXPECT_TRUE(same(math::pow(-inf, T(0.5)), inf));
  EXPECT_TRUE(std::isnan(math::pow(T(-8), one / 3)));
}

TEST(ElementPow, SpecialValuesOfFloatFollowAnnexF) { expect_special_powers<float>(); }
TEST(ElementPow, SpecialValuesOfDoubleFollowAnnexF) { expect_special_powers<double>(); }

class FloatPower : public testing::Test {
 protected:
  void compare(float x, float y) {
    const float expected = reference_.power(x, y);
    const float actual = math::pow(x, y);
    if (same(actual, expected)) return;
    if (++mismatches_ <= 5) {
      ADD_FAILURE() << "pow(" << std::hexfloat << x << ", " << y << ") is " << expected << ", got " << actual;
    }
  }
  void TearDown() override { EXPECT_EQ(mismatches_, 0); }

  FloatReference reference_;
  int mismatches_ = 0;
};

TEST_F(FloatPower, SquaresThatAreTiesGoToEven) {
  EXPECT_EQ(math::pow(4097.0f, 2.0f), 16785408.0f);
  for (float x = 4097; x < 8192; x += 2) {
    compare(x, 2);
    compare(-x, 2);
    compare(x * 0x1p-80f, 2);  // subnormal results
    compare(x * 0x1p-87f, 2);
  }
}

TEST_F(FloatPower, ExactPowersRootsAndTheirNeighboursAreCorrectlyRounded) {
  for (int odd = 1; odd < 300; odd += 2) {
    for (const int exponent : {-75, -50, -37, -20, -4, -1, 0, 1, 3, 16, 40}) {
      for (const float y :
           {2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 15.0f, -1.0f, -2.0f, 0.5f, 1.5f, 2.5f, 0.25f, 0.75f, -0.5f}) {
        for (const int n : {1, 2, 4}) {  // y = 1/2 and 1/4 find their roots exact
          const float x = static_cast<float>(std::ldexp(std::pow(odd, n), exponent * n));
          if (x == 0 || std::isinf(x)) continue;
          compare(x, y);
          if (n == 1) {
            compare(std::nextafter(x, infinity), y);
            compare(std::nextafter(x, 0.0f), y);
          }
        }
      }
    }
  }
}

TEST_F(FloatPower, PowersOfTwoReachEveryExponent) {
  for (const float x : {2.0f, 0.5f, 4.0f, 16.0f, 0x1p64f, 0x1p-128f, 0x1p-149f}) {
    for (int n = -160 * 8; n <= 160 * 8; ++n) {
      compare(x, static_cast<float>(n) * 0.125f);
      compare(-x, static_cast<float>(n));
    }
  }
}

TEST_F(FloatPower, RandomPairsAreCorrectlyRounded) {
  std::mt19937 random(20240609);
  std::uniform_real_distribution<double> logarithm(-105, 90);
  for (int i = 0; i < 100000; ++i) {
    const float x = std::fabs(float_of(static_cast<std::uint32_t>(random())));
    if (!std::isfinite(x) || x == 0 || x == 1) continue;
    compare(x, static_cast<float>(logarithm(random) / std::log(static_cast<double>(x))));
  }
  for (int i = 0; i < 50000; ++i) {
    compare(float_of(static_cast<std::uint32_t>(random())), float_of(static_cast<std::uint32_t>(random())));
  }
}

TEST(ElementPow, DoubleStaysBelowTheDocumentedError) {
  std::mt19937_64 random(20240610);
  std::uniform_real_distribution<double> logarithm(-746, 710), near_one(0.9, 1.1);
  Number base(53), exponent(53), exact(160);
  double worst = 0;
  for (int i = 0; i < 50000; ++i) {
    const double x =
        i % 2 == 0 ? std::fabs(std::bit_cast<double>(random())) : near_one(random) * (i % 4 == 1 ? 1 : 1000);
    if (!std::isfinite(x) || x == 0 || x == 1) continue;
    const double y = i % 8 == 5 ? static_cast<double>(random() % 40) : logarithm(random) / std::log(x);
    mpfr_set_d(base, x, MPFR_RNDN);
    mpfr_set_d(exponent, y, MPFR_RNDN);
    mpfr_pow(exact, base, exponent, MPFR_RNDN);
    const double error = error_in_ulps(math::pow(x, y), exact);
    ASSERT_LE(error, error_limit) << "pow(" << std::hexfloat << x << ", " << y << ")";
    worst = std::max(worst, error);
  }
  RecordProperty("worst_error_in_ulps", digits(worst));
}

}  // namespace
}  // namespace topos
