// log_softmax and log_sum_exp: the reference's bits on every instruction set, with any number of threads.
#include "kernels/reduce_support.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos::kernels {
namespace {

using namespace testing;

template <class F>
std::vector<F> expected_log_softmax(const std::vector<F>& x, const Lines& lines) {
  std::vector<F> out(x.size());
  for (Extent o = 0; o < lines.outer; ++o) {
    for (Extent k = 0; k < lines.inner; ++k) {
      const Extent first = o * lines.extent * lines.inner + k;
      const F* const line = lines.extent > 0 ? x.data() + first : nullptr;
      const F peak = reference::maximum(line, lines.extent, lines.inner);
      const F total = reference::log_sum_exp_shifted(line, lines.extent, lines.inner, peak);
      for (Extent i = 0; i < lines.extent; ++i) {
        const auto at = static_cast<std::size_t>(first + i * lines.inner);
        out[at] = (x[at] - peak) - total;
      }
    }
  }
  return out;
}

template <class F>
std::vector<F> expected_log_sum_exp(const std::vector<F>& x, const Lines& lines) {
  std::vector<F> out;
  for (Extent o = 0; o < lines.outer; ++o) {
    for (Extent k = 0; k < lines.inner; ++k) {
      const F* const line = lines.extent > 0 ? x.data() + o * lines.extent * lines.inner + k : nullptr;
      const F peak = reference::maximum(line, lines.extent, lines.inner);
      const F shift = std::isfinite(peak) ? peak : F{0};
      out.push_back(shift + reference::log_sum_exp_shifted(line, lines.extent, lines.inner, shift));
    }
  }
  return out;
}

template <class F>
class Softmax : public ::testing::Test {
 protected:
  ThreadPool one{1};
  ThreadPool three{3};

  void expect_bits(const std::vector<F>& elements, const Lines& lines, ThreadPool& pool) {
    const auto normalized = expected_log_softmax(elements, lines);
    const auto totals = expected_log_sum_exp(elements, lines);
    on_each_instruction_set([&] {
      Guarded<F> out(static_cast<Extent>(elements.size()));
      log_softmax(elements.data(), lines, out.data(), pool);
      EXPECT_EQ(out.difference(normalized), "") << describe(lines);
      Guarded<F> sums(lines.outer * lines.inner);
      log_sum_exp(elements.data(), lines, sums.data(), pool);
      EXPECT_EQ(sums.difference(totals), "") << describe(lines);
      Guarded<F> x(elements);
      log_softmax(x.data(), lines, x.data(), pool);
      EXPECT_EQ(x.difference(normalized), "") << describe(lines) << " in place";
    });
  }

  void expect_lines(const Lines& lines, ThreadPool& pool) {
    const Extent volume = lines.outer * lines.extent * lines.inner;
    const auto x = numbers<F>(volume, static_cast<std::uint64_t>(volume));
    expect_bits(x, lines, pool);
    expect_bits(with_specials(x, 5, static_cast<std::uint64_t>(2 * lines.extent + 1)), lines, pool);
  }

 private:
  static std::string describe(const Lines& lines) {
    return std::to_string(lines.outer) + " x " + std::to_string(lines.extent) + " x " +
           std::to_string(lines.inner);
  }
};
TYPED_TEST_SUITE(Softmax, Floats);

TYPED_TEST(Softmax, OfRowsIsTheReferences) {
  for (const Extent rows : {0, 1, 3, 64}) {
    for (const Extent extent : {0, 1, 2, 7, 8, 9, 15, 16, 17, 27, 33})
      this->expect_lines({rows, extent, 1}, this->one);
  }
  this->expect_lines({40, 256, 1}, this->three);
}

TYPED_TEST(Softmax, OfLongRowsFoldsItsBlocks) {
  for (const Extent extent : {4095, 4096, 4097, 8200}) this->expect_lines({2, extent, 1}, this->three);
}

TYPED_TEST(Softmax, OfColumnsIsTheReferences) {
  for (const Extent outer : {0, 1, 3}) {
    for (const Extent extent : {0, 1, 2, 16, 17, 40}) {
      for (const Extent inner : {2, 3, 8, 17, 65}) this->expect_lines({outer, extent, inner}, this->one);
    }
  }
  this->expect_lines({1, 50, 300}, this->three);
  this->expect_lines({1, 200, 65}, this->one);
  this->expect_lines({3, 20, 257}, this->three);
}

TYPED_TEST(Softmax, OfLongColumnsFoldsItsBlocks) {
  for (const Extent extent : {4096, 4097, 8193}) this->expect_lines({1, extent, 3}, this->one);
}

// A lone maximum of -0 gives +0 if it is subtracted from itself, and -0 if +0 is.
TYPED_TEST(Softmax, KeepsTheSignOfZeroMaxima) {
  using F = TypeParam;
  const F far = -std::numeric_limits<F>::max();
  for (const Extent extent : {1, 2, 3, 16, 17, 40}) {
    for (const Extent inner : {1, 3}) {
      for (const Extent positive : {Extent{-1}, Extent{0}, extent - 1, extent / 2}) {
        std::vector<F> x(static_cast<std::size_t>(extent * inner), -F{0});
        if (positive >= 0) std::fill_n(x.begin() + positive * inner, inner, F{0});
        this->expect_bits(x, {1, extent, inner}, this->one);
        for (Extent i = 0; i < extent; ++i) {
          if (i % 3 == 1 && i != positive) std::fill_n(x.begin() + i * inner, inner, far);
        }
        this->expect_bits(x, {1, extent, inner}, this->one);
      }
    }
  }
}

TYPED_TEST(Softmax, OfInfinitiesAndNaNsIsTheReferences) {
  using F = TypeParam;
  const F infinity = std::numeric_limits<F>::infinity();
  const F nan = std::numeric_limits<F>::quiet_NaN();
  for (const std::vector<F>& some : {std::vector<F>{-infinity},
                                     {infinity},
                                     {nan},
                                     {-infinity, 1},
                                     {infinity, -infinity},
                                     {nan, 1},
                                     {1, nan},
                                     {1, 2, -nan, 3},
                                     {infinity, nan},
                                     {infinity, infinity}}) {
    for (const Extent extent : {1, 2, 5, 16, 19, 64}) {
      for (const Extent inner : {1, 4}) {
        std::vector<F> x;
        for (Extent i = 0; i < extent; ++i)
          x.insert(x.end(), static_cast<std::size_t>(inner), some[static_cast<std::size_t>(i) % some.size()]);
        this->expect_bits(x, {1, extent, inner}, this->one);
      }
    }
  }
}

}  // namespace
}  // namespace topos::kernels
