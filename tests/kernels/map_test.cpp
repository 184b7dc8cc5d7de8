// The map kernels against the scalar functions, by bits, on every instruction set of the processor.
#include "kernels/map.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "topos/element/bf16.hpp"
#include "topos/ops/erf_derivative.hpp"

namespace topos::kernels {
namespace {

template <class F>
F reference(UnaryMap function, F x) {
  using Traits = ElementTraits<F>;
  switch (function) {
    case UnaryMap::negate:
      return -x;
    case UnaryMap::exp:
      return Traits::exp(x);
    case UnaryMap::log:
      return Traits::log(x);
    case UnaryMap::sqrt:
      return Traits::sqrt(x);
    case UnaryMap::tanh:
      return Traits::tanh(x);
    case UnaryMap::sin:
      return Traits::sin(x);
    case UnaryMap::cos:
      return Traits::cos(x);
    case UnaryMap::log1p:
      return Traits::log1p(x);
    case UnaryMap::expm1:
      return Traits::expm1(x);
    case UnaryMap::erf:
      return Traits::erf(x);
    case UnaryMap::erf_derivative:
      return erf_slope(x);
    case UnaryMap::round_to_bf16:
      return Bf16(x);
  }
  return x;
}

template <class F>
F reference(BinaryMap function, F x, F y) {
  switch (function) {
    case BinaryMap::add:
      return x + y;
    case BinaryMap::subtract:
      return x - y;
    case BinaryMap::multiply:
      return x * y;
    case BinaryMap::divide:
      return x / y;
    case BinaryMap::maximum:
      return ElementTraits<F>::maximum(x, y);
    case BinaryMap::step:
      return x >= y ? F{1} : F{0};
    case BinaryMap::power:
      return ElementTraits<F>::pow(x, y);
  }
  return x;
}

template <class F>
bool same(F a, F b) {
  return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b));
}

/// Runs the body on each instruction set, then goes back to the default.
template <class Body>
void on_every_instruction_set(const Body& body) {
  for (const std::string_view name : instruction_sets()) {
    SCOPED_TRACE(std::string(name));
    use_instruction_set(name);
    body(name);
  }
  use_instruction_set(std::nullopt);
}

template <class F>
const std::vector<F>& special_values() {
  using Limits = std::numeric_limits<F>;
  static const std::vector<F> values = [] {
    std::vector<F> both = {0,       1,      2,      3,      88,      104,     100000,
                           8388607, F(0.5), F(1.5), F(2.5), F(3.95), F(9.25), F(88.8)};
    both.insert(both.end(), {F(100001), F(16777217), F(1e10), Limits::epsilon(), Limits::min(),
                             Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::max(),
                             Limits::infinity(), Limits::quiet_NaN()});
    const std::size_t count = both.size();
    for (std::size_t i = 0; i < count; ++i) both.push_back(-both[i]);
    return both;
  }();
  return values;
}

struct Unary {
  const char* name;
  UnaryMap function;
  std::vector<float> trouble;  // around which roundings, ranges and formulas change
};
std::ostream& operator<<(std::ostream& out, const Unary& unary) { return out << unary.name; }

const Unary unary_maps[] = {
    {"negate", UnaryMap::negate, {}},
    {"exp",
     UnaryMap::exp,
     {88.722839f, 87.336545f, 87.33f, 103.27893f, 103.97208f, 104, 0x1p-24f, 0x1p-25f, 0.34657359f,
      1.0397208f}},
    {"log", UnaryMap::log, {1, 0.5f, 2, 0.70710678f, 1.4142135f, 2.7182818f, 0x1p-126f}},
    {"sqrt", UnaryMap::sqrt, {1, 2, 0x1p-126f}},
    {"tanh", UnaryMap::tanh, {9.010913f, 8.664339f, 9.25f, 0.0054f, 0x1p-12f, 0.17328679f, 0.5493061f}},
    {"sin", UnaryMap::sin, {1.5707963f, 3.1415927f, 6.2831853f, 22, 100000, 51471.85f, 0x1.f9cbe2p95f}},
    {"cos", UnaryMap::cos, {1.5707963f, 3.1415927f, 6.2831853f, 11, 100000, 51471.85f, 0x1.f9cbe2p95f}},
    {"log1p",
     UnaryMap::log1p,
     {1, 0.5f, 0.70710678f, 0.41421356f, 0.29289322f, 0x1p-12f, 0x1p-24f, 0x1p126f}},
    {"expm1", UnaryMap::expm1, {88.722839f, 87.33f, 17.32868f, 18, 89, 0x1p-12f, 0x1p-24f, 0.34657359f}},
    {"erf", UnaryMap::erf, {3.9192058f, 3.8325066f, 3.95f, 1.5f, 1e-7f, 0x1p-126f, 0x1p-127f}},
    {"erf_derivative", UnaryMap::erf_derivative, {9.345f, 10.2f, 0x1p-12f, 0.7071067f}},
    {"round_to_bf16", UnaryMap::round_to_bf16, {1, 0x1.01p0f, 0x1p-126f, 0x1.ffp127f}},
};

/// A fixed million: any bits, a continuous run of floats, moderate numbers, trouble spots, special values.
std::vector<float> a_million_inputs(const Unary& unary) {
  std::mt19937 random(20250301);
  std::normal_distribution<float> moderate(0, 3);
  std::vector<float> inputs = special_values<float>();
  for (const float centre : unary.trouble) {
    for (std::uint32_t offset = 0; offset < 2000; ++offset) {
      const float x = std::bit_cast<float>(bits_of(centre) + offset - 1000);
      inputs.insert(inputs.end(), {x, -x});
    }
  }
  for (std::uint32_t i = 0; i < 200000; ++i) {
    inputs.push_back(std::bit_cast<float>(0x3f400000 + i * 7));
    inputs.push_back(std::bit_cast<float>(0xbf400000 + i * 5));
  }
  for (int i = 0; i < 250000; ++i) inputs.push_back(moderate(random));
  while (inputs.size() < 1000003)
    inputs.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return inputs;
}

class MapUnary : public testing::TestWithParam<Unary> {};

TEST_P(MapUnary, AMillionFloatsHaveTheBitsOfTheScalarFunction) {
  const UnaryMap function = GetParam().function;
  const std::vector<float> x = a_million_inputs(GetParam());
  std::vector<float> expected;
  for (const float value : x) expected.push_back(reference(function, value));
  on_every_instruction_set([&](std::string_view) {
    std::vector<float> out(x.size());
    map(function, x.data(), out.data(), x.size());
    int wrong = 0;
    for (std::size_t i = 0; i < x.size() && wrong < 5; ++i) {
      if (same(out[i], expected[i])) continue;
      ADD_FAILURE() << std::hexfloat << "of " << x[i] << ": " << out[i] << ", not " << expected[i];
      ++wrong;
    }
  });
}

TEST_P(MapUnary, DoublesHaveTheBitsOfTheScalarFunction) {
  const UnaryMap function = GetParam().function;
  std::mt19937_64 random(20250302);
  std::normal_distribution<double> moderate(0, 3);
  std::vector<double> x = special_values<double>();
  for (int i = 0; i < 1000; ++i) {
    x.insert(x.end(), {std::bit_cast<double>(random()), moderate(random)});
  }
  on_every_instruction_set([&](std::string_view) {
    std::vector<double> out(x.size());
    map(function, x.data(), out.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(same(out[i], reference(function, x[i]))) << std::hexfloat << x[i];
    }
  });
}

/// Calls check(count, offset) for the sizes around every vector width and block, aligned and not.
template <class Check>
void for_every_size(const Check& check) {
  for (std::size_t count = 0; count <= 70; ++count) {
    for (const std::size_t offset : {0, 1, 3}) check(count, offset);
  }
  for (const std::size_t count : {127, 128, 129, 511, 512, 513, 1023, 1025}) check(count, 1);
}

TEST_P(MapUnary, EverySizeIsExactInPlaceAndLeavesTheRestAlone) {
  const UnaryMap function = GetParam().function;
  constexpr float guard = 12345.678f;
  std::vector<float> x(1100);
  std::mt19937 random(3);
  std::normal_distribution<float> moderate(0, 4);
  for (float& value : x) value = moderate(random);
  on_every_instruction_set([&](std::string_view) {
    for_every_size([&](std::size_t count, std::size_t offset) {
      std::vector<float> out(1100, guard), in_place = x;
      map(function, x.data() + offset, out.data() + offset, count);
      map(function, in_place.data() + offset, in_place.data() + offset, count);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= offset && i < offset + count;
        const float result = inside ? reference(function, x[i]) : guard;
        ASSERT_TRUE(same(out[i], result)) << count << " from " << offset << ", at " << i;
        ASSERT_TRUE(same(in_place[i], inside ? result : x[i])) << count << " from " << offset << ", at " << i;
      }
    });
  });
}

// NaN payloads, too: every upper half with the lower halves around a tie and at the ends.
TEST(RoundToBf16, GivesTheBitsOfBf16OnEveryInstructionSet) {
  std::vector<float> x, expected;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      x.push_back(std::bit_cast<float>(upper << 16 | lower));
      expected.push_back(Bf16(x.back()));
    }
  }
  on_every_instruction_set([&](std::string_view) {
    std::vector<float> out(x.size());
    map(UnaryMap::round_to_bf16, x.data(), out.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(bits_of(out[i]), bits_of(expected[i])) << std::hex << bits_of(x[i]);
  });
}

INSTANTIATE_TEST_SUITE_P(All, MapUnary, testing::ValuesIn(unary_maps),
                         [](const auto& test) { return std::string(test.param.name); });

struct Binary {
  const char* name;
  BinaryMap function;
};
std::ostream& operator<<(std::ostream& out, const Binary& binary) { return out << binary.name; }

const Binary binary_maps[] = {
    {"add", BinaryMap::add},       {"subtract", BinaryMap::subtract}, {"multiply", BinaryMap::multiply},
    {"divide", BinaryMap::divide}, {"maximum", BinaryMap::maximum},   {"step", BinaryMap::step},
    {"power", BinaryMap::power},
};

template <class F>
struct Pairs {
  std::vector<F> x, y;
  void add(F left, F right) {
    x.push_back(left);
    y.push_back(right);
  }
};

template <class F>
Pairs<F> pairs(int random_pairs) {
  Pairs<F> result;
  for (const F x : special_values<F>()) {
    for (const F y : special_values<F>()) result.add(x, y);
  }
  std::mt19937_64 random(20250303);
  std::normal_distribution<F> moderate(0, 3);
  using Unsigned = decltype(bits_of(F{}));
  const auto any = [&] { return std::bit_cast<F>(static_cast<Unsigned>(random())); };
  for (int i = 0; i < random_pairs; ++i) {
    result.add(any(), any());
    result.add(std::fabs(moderate(random)), moderate(random));
    result.add(moderate(random), std::round(moderate(random) * 2) / 2);
    const F equal = any();
    result.add(equal, i % 2 ? equal : -equal);
  }
  for (F x = 4097; x < 5000; x += 2) {  // squares that are ties, and their neighbours
    result.add(x, 2);
    result.add(-x, 2);
    result.add(std::nextafter(x, F{0}), 2);
    result.add(x * F(0x1p-80), 2);
  }
  for (const F x : {2, 3, 4, 5, 9, 81}) {  // exact powers and roots, near the ends of the range too
    for (F y = -160; y <= 160; y += F(0.25)) result.add(x, y);
  }
  return result;
}

class MapBinary : public testing::TestWithParam<Binary> {
 protected:
  template <class F>
  void expect_the_bits_of_the_scalar_function(int random_pairs) {
    const BinaryMap function = GetParam().function;
    const Pairs<F> in = pairs<F>(random_pairs);
    std::vector<F> expected;
    for (std::size_t i = 0; i < in.x.size(); ++i) expected.push_back(reference(function, in.x[i], in.y[i]));
    on_every_instruction_set([&](std::string_view) {
      std::vector<F> out(in.x.size());
      map(function, in.x.data(), in.y.data(), out.data(), out.size());
      int wrong = 0;
      for (std::size_t i = 0; i < out.size() && wrong < 5; ++i) {
        if (same(out[i], expected[i])) continue;
        ADD_FAILURE() << std::hexfloat << "of " << in.x[i] << ", " << in.y[i] << ": " << out[i] << ", not "
                      << expected[i];
        ++wrong;
      }
    });
  }
};

TEST_P(MapBinary, FloatsHaveTheBitsOfTheScalarFunction) {
  expect_the_bits_of_the_scalar_function<float>(100000);
}
TEST_P(MapBinary, DoublesHaveTheBitsOfTheScalarFunction) {
  expect_the_bits_of_the_scalar_function<double>(2000);
}

TEST_P(MapBinary, EverySizeIsExactInPlaceAndLeavesTheRestAlone) {
  const BinaryMap function = GetParam().function;
  constexpr float guard = 12345.678f;
  std::vector<float> x(1100), y(1100);
  std::mt19937 random(4);
  std::normal_distribution<float> moderate(0, 4);
  for (float& value : x) value = moderate(random);
  for (float& value : y) value = std::round(moderate(random));
  on_every_instruction_set([&](std::string_view) {
    for_every_size([&](std::size_t count, std::size_t offset) {
      std::vector<float> out(1100, guard), left = x, right = y;
      map(function, x.data() + offset, y.data() + offset, out.data() + offset, count);
      map(function, left.data() + offset, y.data() + offset, left.data() + offset, count);
      map(function, x.data() + offset, right.data() + offset, right.data() + offset, count);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= offset && i < offset + count;
        const float result = inside ? reference(function, x[i], y[i]) : guard;
        ASSERT_TRUE(same(out[i], result)) << count << " from " << offset << ", at " << i;
        ASSERT_TRUE(same(left[i], inside ? result : x[i])) << count << " from " << offset << ", at " << i;
        ASSERT_TRUE(same(right[i], inside ? result : y[i])) << count << " from " << offset << ", at " << i;
      }
    });
  });
}

INSTANTIATE_TEST_SUITE_P(All, MapBinary, testing::ValuesIn(binary_maps),
                         [](const auto& test) { return std::string(test.param.name); });

/// 1 / odd, modulo 2^32 (Newton's iteration doubles the right bits).
std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t inverse = odd;
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

/// body(x, d) for the 24-bit x whose quotient by d is so near to halfway between two floats that
/// 2^bits x - m d = rest, m odd; bits is 24 where x >= d and 25 where x < d.
template <class Body>
void for_hard_dividends(std::uint32_t d, int bits, std::int64_t rest, const Body& body) {
  const int twos = std::countr_zero(d);
  if (rest % (std::int64_t{1} << twos) != 0) return;
  const std::uint32_t modulus = 1u << (bits - twos);
  const auto part = static_cast<std::uint32_t>(-(rest >> twos));
  for (std::uint32_t m = part * inverse_of(d >> twos) % modulus; m < 1u << 25; m += modulus) {
    const std::int64_t x = (std::int64_t{m} * d + rest) >> bits;
    if (m >= 1u << 24 && m % 2 == 1 && x >= 1 << 23 && x < 1 << 24 && (x >= d) == (bits == 24))
      body(static_cast<float>(x), static_cast<float>(d));
  }
}

/// Dividends and divisors, divided together when there are enough.
class Divisions {
 public:
  void add(float x, float d) {
    x_.push_back(x);
    d_.push_back(d);
    reciprocals_.push_back(reciprocal_of(d));
    if (x_.size() == 1 << 14) expect_quotients();
  }
  void expect_quotients() {
    std::vector<float> found = x_;
    divide(found.data(), d_.data(), reciprocals_.data(), found.data(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!same(found[i], x_[i] / d_[i])) ADD_FAILURE() << x_[i] << " / " << d_[i] << ": " << found[i];
    count += found.size();
    x_.clear(), d_.clear(), reciprocals_.clear();
  }

  std::size_t count = 0;

 private:
  std::vector<float> x_, d_, reciprocals_;
};

// Under a sanitizer a pair costs ten times as much: there a sample is tried.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t divisor_step = 31;
#elif defined(__has_feature)
constexpr std::uint32_t divisor_step =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 31 : 1;
#else
constexpr std::uint32_t divisor_step = 1;
#endif

// Every pair of significands that dividing by the reciprocal could round otherwise (kernels/quotient.hpp).
TEST(MapDivide, ByTheReciprocalGivesTheQuotientsBitsInEveryHardCase) {
  Divisions divisions;
  for (std::uint32_t d = 1 << 23; d < 1 << 24; d += divisor_step) {
    for (std::int64_t rest = -6; rest <= 6; ++rest) {
      if (rest == 0) continue;
      for (const int bits : {24, 25}) {
        for_hard_dividends(d, bits, rest, [&](float x, float y) { divisions.add(x, y); });
      }
    }
  }
  divisions.expect_quotients();
  EXPECT_GT(divisions.count, 30'000'000u / divisor_step);
}

TEST(MapDivide, ByTheReciprocalGivesTheQuotientsBitsOfAnything) {
  on_every_instruction_set([](std::string_view) {
    Divisions divisions;
    for (const float x : special_values<float>()) {
      for (const float d : special_values<float>()) divisions.add(x, d);
    }
    std::mt19937 random(7);
    const auto bits = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
    std::normal_distribution<float> moderate(0, 4);
    for (int i = 0; i < 100000; ++i) {
      divisions.add(bits(), bits());
      divisions.add(moderate(random), moderate(random));
      // what is subnormal, and what may be halfway between two subnormals
      const auto odd = static_cast<float>(random() % 4096 * 2 + 1),
                 d = static_cast<float>(random() % 2048 + 1);
      divisions.add(std::ldexp(odd * d, -130), std::ldexp(d, 20));
    }
    divisions.expect_quotients();
  });
}

}  // namespace
}  // namespace topos::kernels
