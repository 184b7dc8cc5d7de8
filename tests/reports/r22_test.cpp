// Functions where the textbook formula loses its digits: near 0, and where they saturate.
#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Accuracy : public ::testing::Test {};
TYPED_TEST_SUITE(Accuracy, ElementTypes);

float at(const Function<float>& function, float x) {
  return evaluate(function, {Tensor<float>(x)}).value.item();
}

// Each expected value has more digits than f32: the nearest f32 is the right one.
TEST(AccuracyInF32, is_correct_rounding) {
  const Function<float> error = [](const auto& x) { return erf(x[0]); };
  EXPECT_EQ(at(error, 3.9004288f), 0.99999994f);
  EXPECT_EQ(at(error, 1e-5f), 1.12837914e-5f);
  EXPECT_EQ(at(error, 1e-7f), 1.12837918e-7f);
  EXPECT_EQ(at(error, 4.5f), 1.0f);
  EXPECT_EQ(at([](const auto& x) { return expm1(x[0]); }, 1e-10f), 1.00000001e-10f);
  EXPECT_EQ(at([](const auto& x) { return log1p(x[0]); }, 1e-10f), 1.00000001e-10f);
  EXPECT_EQ(at([](const auto& x) { return tanh(x[0]); }, 1e-5f), 9.9999997e-6f);
  EXPECT_EQ(at([](const auto& x) { return tanh(x[0]); }, 9.5f), 1.0f);
}

TEST(AccuracyInF64, is_within_one_unit) {
  const Reading<double> reading =
      evaluate<double>([](const auto& x) { return log1p(x[0]); }, {Tensor<double>(-0.4141892)});
  EXPECT_NEAR(reading.value.item(), -0.53475840843205963057, std::ldexp(1.0, -53));
  // d log1p(x) = 1 / (1 + x)
  EXPECT_NEAR(reading.gradients[0].item(), 1 / (1 - 0.4141892), std::ldexp(1.0, -52));
}

TYPED_TEST(Accuracy, never_lets_erf_and_tanh_pass_one) {
  using E = TypeParam;
  std::vector<double> points;
  for (double x = -12; x <= 12; x += 1.0 / 512) points.push_back(x);
  const auto x = tensor<E>({static_cast<Extent>(points.size())}, points);
  for (const E value : erf(x).elements()) EXPECT_LE(std::fabs(value), E(1));
  for (const E value : tanh(x).elements()) EXPECT_LE(std::fabs(value), E(1));
}

TYPED_TEST(Accuracy, is_relative_near_zero) {
  using E = TypeParam;
  for (double magnitude = 1e-30; magnitude < 1e-6; magnitude *= 7) {
    for (const double signed_point : {magnitude, -magnitude}) {
      const Tensor<E> x(static_cast<E>(signed_point));
      const double point = x.item();  // the series below stop where their next term is under half a unit
      EXPECT_TRUE(near(expm1(x), Tensor<E>(E(point + point * point / 2 + point * point * point / 6)),
                       roundings<E>(1)));
      EXPECT_TRUE(near(log1p(x), Tensor<E>(E(point - point * point / 2 + point * point * point / 3)),
                       roundings<E>(1)));
      EXPECT_TRUE(near(tanh(x), Tensor<E>(E(point - point * point * point / 3)), roundings<E>(1)));
      EXPECT_TRUE(near(erf(x), Tensor<E>(E(1.1283791670955126 * (point - point * point * point / 3))),
                       roundings<E>(1)));
    }
  }
}

}  // namespace
}  // namespace topos::reports
