// The bf16 element: rounding against its definition, arithmetic against f64, functions against MPFR.
#include "topos/element/bf16.hpp"
#include "topos/element/element_list.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>

namespace topos {
namespace {

using Traits = ElementTraits<Bf16>;
using Limits = std::numeric_limits<Bf16>;
constexpr unsigned patterns = 0x10000;

Bf16 pattern(unsigned bits) { return Bf16::from_bits(static_cast<std::uint16_t>(bits)); }
bool same(Bf16 a, Bf16 b) { return a.to_bits() == b.to_bits() || (std::isnan(a) && std::isnan(b)); }

TEST(Bf16, is_the_upper_half_of_a_float) {
  for (unsigned bits = 0; bits < patterns; ++bits) {
    const Bf16 x = pattern(bits);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(float{x}), bits << 16);
    ASSERT_EQ(Bf16(float{x}).to_bits(), bits) << "NaN payloads and zeros of both signs come back";
    ASSERT_EQ((-x).to_bits(), bits ^ 0x8000);
  }
}

TEST(Bf16, rounds_floats_and_doubles_once_to_nearest_even) {
  // Between each finite number and the next larger one: the middle goes to the even one, and the least
  // distance from the middle decides. Past the largest lies, in this order, infinity.
  for (unsigned bits = 0; bits < 0x7F80; ++bits) {
    const double low = pattern(bits);
    const double high = bits + 1 == 0x7F80 ? std::ldexp(1.0, 128) : double{float{pattern(bits + 1)}};
    const double middle = low + (high - low) / 2;
    for (const unsigned sign : {0u, 0x8000u}) {
      const double s = sign == 0 ? 1.0 : -1.0;
      const unsigned below = sign | bits, above = sign | (bits + 1), even = sign | (bits + (bits & 1));
      ASSERT_EQ(Bf16(s * middle).to_bits(), even) << bits;
      ASSERT_EQ(Bf16(static_cast<float>(s * middle)).to_bits(), even) << bits;
      ASSERT_EQ(Bf16(s * std::nextafter(middle, 0.0)).to_bits(), below) << bits;
      ASSERT_EQ(Bf16(s * std::nextafter(middle, INFINITY)).to_bits(), above) << bits;
      const float wide = static_cast<float>(middle);
      ASSERT_EQ(Bf16(static_cast<float>(s) * std::nextafter(wide, 0.0f)).to_bits(), below) << bits;
      ASSERT_EQ(Bf16(static_cast<float>(s) * std::nextafter(wide, INFINITY)).to_bits(), above) << bits;
    }
  }
  EXPECT_EQ(Bf16(5e-324).to_bits(), 0);
  EXPECT_EQ(Bf16(-5e-324).to_bits(), 0x8000);
  EXPECT_EQ(Bf16(1e300).to_bits(), 0x7F80);
  EXPECT_EQ(Bf16(-INFINITY).to_bits(), 0xFF80);
  EXPECT_TRUE(std::isnan(Bf16(std::nan(""))));
  EXPECT_TRUE(std::isnan(Bf16(std::bit_cast<float>(0x7F800001u)))) << "its upper half alone is an infinity";
}

TEST(Bf16, reads_integers_and_compares_as_numbers) {
  EXPECT_EQ(Bf16(257).to_bits(), Bf16(256).to_bits());
  EXPECT_EQ(Bf16(-3).to_bits(), 0xC040);
  EXPECT_EQ(Bf16(0.0f), Bf16(-0.0f));
  EXPECT_FALSE(Limits::quiet_NaN() == Limits::quiet_NaN());
  EXPECT_FALSE(Limits::quiet_NaN() >= Bf16(0));
  EXPECT_TRUE(Bf16(2) > Bf16(1) && Bf16(-1) < Limits::denorm_min() && Limits::max() < Limits::infinity());
}

/// Any bit patterns, one in eight of them special.
struct Draws {
  std::mt19937 random{5};
  Bf16 operator()() {
    static constexpr unsigned special[] = {0x0000, 0x8000, 0x0001, 0x007F, 0x0080, 0x3F80,
                                           0xBF80, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x4000};
    return pattern(random() % 8 == 0 ? special[random() % 12] : random() % patterns);
  }
};

// f64 holds more than twice the digits of a bf16, so an f64 result rounded once more is the nearest bf16;
// that f32 has enough, too, is what this finds.
TEST(Bf16, arithmetic_is_correctly_rounded_though_it_goes_through_f32) {
  Draws draw;
  for (int i = 0; i < 2'000'000; ++i) {
    const Bf16 a = draw(), b = draw();
    const double x = a, y = b;
    ASSERT_TRUE(same(a + b, Bf16(x + y))) << x << " " << y;
    ASSERT_TRUE(same(a - b, Bf16(x - y))) << x << " " << y;
    ASSERT_TRUE(same(a * b, Bf16(x * y))) << x << " " << y;
    ASSERT_TRUE(same(a / b, Bf16(x / y))) << x << " " << y;
  }
}

// A quotient's digits depend on the significands alone; its place matters among the subnormals, where f32
// keeps fewer digits.
TEST(Bf16, quotients_are_correctly_rounded_for_all_significands_at_every_subnormal_place) {
  for (unsigned a = 0x80; a <= 0xFF; ++a) {
    for (unsigned b = 0x80; b <= 0xFF; ++b) {
      for (int place = -137; place <= -124; ++place) {
        const double numerator = std::ldexp(a, -80), denominator = std::ldexp(b, -80 - place);
        const Bf16 quotient = Bf16(numerator) / Bf16(denominator);
        ASSERT_EQ(quotient.to_bits(), Bf16(numerator / denominator).to_bits())
            << a << " " << b << " " << place;
      }
    }
  }
}

TEST(Bf16, maximum_prefers_nan_and_plus_zero) {
  EXPECT_TRUE(std::isnan(Traits::maximum(Limits::quiet_NaN(), Bf16(1))));
  EXPECT_TRUE(std::isnan(Traits::maximum(Bf16(1), Limits::quiet_NaN())));
  EXPECT_EQ(Traits::maximum(Bf16(-0.0f), Bf16(0.0f)).to_bits(), 0);
  EXPECT_EQ(Traits::maximum(Bf16(0.0f), Bf16(-0.0f)).to_bits(), 0);
  EXPECT_EQ(Traits::maximum(Bf16(2), Bf16(3)), Bf16(3));
}

struct Function {
  const char* name;
  Bf16 (*ours)(Bf16);
  int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};

class Functions : public ::testing::TestWithParam<Function> {};

// Rounding twice gives a neighbour only where the f32 result is the middle of two bf16 and the exact one is
// not: no input of these functions does that.
TEST_P(Functions, give_the_nearest_bf16_of_every_input) {
  mpfr_t exact;
  mpfr_init2(exact, 120);  // more than any tie of these results needs to be told
  for (unsigned bits = 0; bits < patterns; ++bits) {
    const Bf16 x = pattern(bits);
    mpfr_set_flt(exact, x, MPFR_RNDN);
    const int inexact = GetParam().reference(exact, exact, MPFR_RNDZ);
    // To odd: the double's last bit remembers what was cut off.
    double odd = mpfr_get_d(exact, MPFR_RNDZ);
    const bool cut = std::isfinite(odd) && (inexact != 0 || mpfr_cmp_d(exact, odd) != 0);
    if (cut) odd = std::bit_cast<double>(std::bit_cast<std::uint64_t>(odd) | 1);
    ASSERT_TRUE(same(GetParam().ours(x), Bf16(odd))) << GetParam().name << " of " << float{x};
  }
  mpfr_clear(exact);
}

INSTANTIATE_TEST_SUITE_P(
    Bf16, Functions,
    ::testing::Values(Function{"exp", Traits::exp, mpfr_exp}, Function{"expm1", Traits::expm1, mpfr_expm1},
                      Function{"log", Traits::log, mpfr_log}, Function{"log1p", Traits::log1p, mpfr_log1p},
                      Function{"tanh", Traits::tanh, mpfr_tanh}, Function{"sin", Traits::sin, mpfr_sin},
                      Function{"cos", Traits::cos, mpfr_cos}, Function{"erf", Traits::erf, mpfr_erf},
                      Function{"sqrt", Traits::sqrt, mpfr_sqrt}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Bf16, power_and_fused_multiply_add_are_those_of_f32_rounded) {
  Draws draw;
  for (int i = 0; i < 20'000; ++i) {
    const Bf16 a = draw(), b = draw(), c = draw();
    ASSERT_TRUE(same(Traits::pow(a, b), Bf16(math::pow(float{a}, float{b}))));
    ASSERT_TRUE(same(Traits::fused_multiply_add(a, b, c), Bf16(std::fma(float{a}, float{b}, float{c}))));
  }
}

TEST(Bf16, has_the_limits_of_its_format) {
  EXPECT_EQ(double{float{Limits::epsilon()}}, std::ldexp(1.0, -7));
  EXPECT_EQ(double{float{Limits::min()}}, std::ldexp(1.0, -126));
  EXPECT_EQ(double{float{Limits::denorm_min()}}, std::ldexp(1.0, -133));
  EXPECT_EQ(double{float{Limits::max()}}, std::ldexp(255.0, 120));
  EXPECT_EQ(Limits::lowest(), -Limits::max());
  EXPECT_EQ(Traits::lowest_finite(), Limits::lowest());
  EXPECT_EQ(Traits::negative_infinity(), -Limits::infinity());
  EXPECT_FALSE(Traits::is_finite(Limits::infinity()) || Traits::is_finite(Limits::quiet_NaN()));
}

TEST(Elements, are_those_that_the_library_is_instantiated_for) {
#define TOPOS_NAME(E) ElementTraits<E>::name,
  const std::vector<std::string_view> names{TOPOS_FOR_EACH_ELEMENT(TOPOS_NAME)};
#undef TOPOS_NAME
  EXPECT_EQ(names, (std::vector<std::string_view>{"f32", "f64", "bf16"}));
  static_assert(std::is_base_of_v<IeeeTraits<double>, ElementTraits<double>>);
  EXPECT_EQ(IeeeTraits<float>::step(IeeeTraits<float>::fused_multiply_add(2, 3, 4), 10), 1.0f);
}

}  // namespace
}  // namespace topos
