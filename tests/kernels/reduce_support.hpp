// What the tests of the reductions share: operands, guarded results, and every instruction set in turn.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "kernels/reduce.hpp"
#include "kernels/thread_pool.hpp"
#include "topos/element/element.hpp"

namespace topos::kernels::testing {

template <class F>
bool same(F a, F b) {
  return (std::isnan(a) && std::isnan(b)) || bits_of(a) == bits_of(b);
}

/// Numbers of very different size, some zeros of either sign, some subnormal.
template <class F>
std::vector<F> numbers(Extent count, std::uint64_t seed, double largest = 8) {
  std::mt19937_64 random(seed);
  std::vector<F> result(static_cast<std::size_t>(count));
  for (F& x : result) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    const std::uint64_t kind = random() % 32;
    x = static_cast<F>(largest * uniform);
    if (kind < 8) x = static_cast<F>(std::ldexp(uniform, static_cast<int>(kind) - 12));
    if (kind == 8) x = F{0};
    if (kind == 9) x = -F{0};
    if (kind == 10) x = std::numeric_limits<F>::denorm_min() * static_cast<F>(random() % 9);
  }
  return result;
}

/// The same with infinities, NaN and the largest numbers now and then.
template <class F>
std::vector<F> with_specials(std::vector<F> x, std::uint64_t seed, std::uint64_t one_in) {
  using Limits = std::numeric_limits<F>;
  const F specials[] = {Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        -Limits::quiet_NaN(),
                        Limits::max(),
                        Limits::lowest(),
                        F{0},
                        -F{0}};
  std::mt19937_64 random(seed);
  for (F& element : x) {
    if (random() % one_in == 0) element = specials[random() % 8];
  }
  return x;
}

/// `count` elements at an address that no vector is aligned to, between guards.
template <class F>
class Guarded {
 public:
  explicit Guarded(Extent count) : elements_(static_cast<std::size_t>(count) + 2 * guard, filler) {}
  explicit Guarded(const std::vector<F>& content) : Guarded(static_cast<Extent>(content.size())) {
    std::copy(content.begin(), content.end(), data());
  }
  F* data() { return elements_.data() + guard; }
  F operator[](Extent i) const { return elements_[static_cast<std::size_t>(i) + guard]; }

  /// How many elements, guards included, are not what they should be.
  std::string difference(const std::vector<F>& expected) const {
    if (expected.size() + 2 * guard != elements_.size()) return "another size";
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const bool is_guard = i < guard || i >= guard + expected.size();
      const F want = is_guard ? filler : expected[i - guard];
      if (!same(elements_[i], want)) {
        return (is_guard ? "guard " : "element ") +
               std::to_string(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(guard)) + " is " +
               std::to_string(elements_[i]) + ", not " + std::to_string(want);
      }
    }
    return "";
  }

 private:
  static constexpr std::size_t guard = 67;
  static constexpr F filler = F(-12345.678);
  std::vector<F> elements_;
};

/// check() on every instruction set of this processor.
template <class Check>
void on_each_instruction_set(Check check) {
  for (const std::string_view name : instruction_sets()) {
    SCOPED_TRACE(name);
    use_instruction_set(name);
    check();
  }
  use_instruction_set(std::nullopt);
}

using Floats = ::testing::Types<float, double>;

}  // namespace topos::kernels::testing
