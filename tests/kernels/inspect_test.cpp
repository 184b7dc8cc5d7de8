#include "kernels/inspect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/instruction_set.hpp"

namespace topos::kernels {
namespace {

template <class F>
void expect_what_a_loop_finds() {
  const F infinity = std::numeric_limits<F>::infinity();
  const F nan = std::numeric_limits<F>::quiet_NaN();
  for (const std::string_view set : instruction_sets()) {
    use_instruction_set(set);
    EXPECT_EQ(largest_magnitude<F>(nullptr, 0, 0, 0), F{0});
    EXPECT_FALSE(has_negative_zero<F>(nullptr, 0));
    for (Extent count = 1; count < 70; ++count) {
      const auto size = static_cast<std::size_t>(count);
      std::vector<F> x(size + 2, F(-0.0));  // what lies outside must not be seen
      x[0] = x[size + 1] = infinity;
      std::fill_n(x.begin() + 1, count, F{0.5});
      const F* const first = x.data() + 1;
      EXPECT_EQ(largest_magnitude(first, 1, 0, count), F{0.5});
      for (std::size_t at = 1; at <= size; ++at) {
        x[at] = F{-3};
        EXPECT_EQ(largest_magnitude(first, 1, 0, count), F{3});
        x[at] = -infinity;
        EXPECT_EQ(largest_magnitude(first, 1, 0, count), infinity);
        x[at] = -nan;
        EXPECT_TRUE(std::isnan(largest_magnitude(first, 1, 0, count)));
        x[at] = F{0};
        EXPECT_FALSE(has_negative_zero(first, count));
        x[at] = F(-0.0);
        EXPECT_TRUE(has_negative_zero(first, count)) << set << " " << count << " " << at;
        x[at] = F{0.5};
      }
    }
  }
  use_instruction_set(std::nullopt);
}

TEST(Inspections, SeeTheRowsAndNotWhatLiesBetween) {
  const std::vector<float> x{1, -2, 9, 3, 1, 9, -0.5f, 4, 9};
  EXPECT_EQ(largest_magnitude(x.data(), 3, 3, 2), 4);
  EXPECT_EQ(largest_magnitude(x.data(), 2, 3, 2), 3);
}

TEST(Inspections, FindWhatALoopFindsInFloats) { expect_what_a_loop_finds<float>(); }
TEST(Inspections, FindWhatALoopFindsInDoubles) { expect_what_a_loop_finds<double>(); }

}  // namespace
}  // namespace topos::kernels
