// A fold whose 0/1 matrix would be large leaves as the sum of its spread lanes instead.
#include <gtest/gtest.h>

#include <array>

#include "support/foreign.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {
namespace {

/// The plan of sum(unfold(x)^2) and its gradient, which folds; x is [2, extent, 3].
Plan<float> overlapping_windows(Extent extent, Extent size, Extent step, Extent dilation) {
  Tape<float> tape;
  const auto x = tape.parameter(Normal(3, 1.0).tensor<float>({2, extent, 3}));
  const auto windows = unfold(x, 1, size, step, dilation);
  const auto loss = sum(windows * windows);
  const Adjoints adjoints = tape.differentiate(loss, {x});
  return std::move(tape).seal().entry(adjoints.roots()).lower();
}

TEST(LargeFolds, leave_as_pads_and_mean_the_same_abroad) {
  for (const auto& [extent, size, step, dilation] :
       {std::array<Extent, 4>{3000, 7, 3, 2}, {2000, 40, 16, 1}, {600, 1, 2, 1}, {500, 3, 1, 5}}) {
    SCOPED_TRACE(fmt::format("extent {} size {} step {} dilation {}", extent, size, step, dilation));
    const Plan<float> plan = overlapping_windows(extent, size, step, dilation);
    const std::string text = emit_stablehlo(plan);
    EXPECT_NE(text.find("_lane0"), std::string::npos);
    EXPECT_EQ(text.find("_weights"), std::string::npos);
    expect_conformant(plan);
  }
}

TEST(LargeFolds, grow_with_the_window_and_not_with_the_axis) {
  // Only the unfold's positions, a blob of 16 hexadecimal digits each, grow with the axis.
  const std::size_t text = emit_stablehlo(overlapping_windows(16000, 400, 160, 1)).size();
  EXPECT_LT(text, 1000000u);
}

}  // namespace
}  // namespace topos::testing
