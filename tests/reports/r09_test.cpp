// Activations far from 0, where a derivative's intermediates overflow or saturate. The form here is the exact
// one, x (1 + erf(x / sqrt 2)) / 2.
#include "reports/readings.hpp"
#include "topos/composites/activations.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class LargeArguments : public ::testing::Test {};
TYPED_TEST_SUITE(LargeArguments, ElementTypes);

TYPED_TEST(LargeArguments, leave_gelu_and_its_derivatives_finite) {
  using E = TypeParam;
  const std::vector<double> points{-1e20, -20, -6, -4, -1, 0, 1, 3, 20, 1e20};
  std::vector<double> values, slopes;
  for (const double x : points) {
    const double tail = 0.5 * std::erfc(-x / std::sqrt(2.0));
    values.push_back(x * tail);
    slopes.push_back(tail + x * std::exp(-0.5 * x * x) / std::sqrt(2 * std::acos(-1.0)));
  }
  const Reading<E> reading = evaluate<E>([](const auto& x) { return gelu(x[0]); }, {tensor<E>({10}, points)});
  for (std::size_t i = 0; i < points.size(); ++i) {
    // 1 + erf rounds at 1: what is left of a negative tail is off by that rounding, absolutely, times |x|
    const double allowed = roundings<E>(4) * std::max(1.0, std::fabs(points[i]));
    EXPECT_NEAR(reading.value.elements()[i], values[i],
                std::fabs(points[i]) > 1e10 ? 0.0001 * std::fabs(values[i]) : allowed);
    EXPECT_NEAR(reading.gradients[0].elements()[i], slopes[i], allowed > 1 ? roundings<E>(4) : allowed);
  }
}

TYPED_TEST(LargeArguments, leave_a_second_derivative_of_gelu_finite_while_their_squares_are) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.parameter(tensor<E>({5}, {-1e18, -20, 0, 20, 1e18}));
  const Adjoints first = tape.differentiate(sum(gelu(x)), {x});
  const Adjoints second = tape.differentiate(sum(tape.resolve(first.of(x))), {x});
  const Network<E> network = std::move(tape).seal();
  for (const E slope : network.forward(network.parameters(), {}).of(second.of(x)).elements()) {
    EXPECT_TRUE(std::isfinite(slope));
  }
}

TYPED_TEST(LargeArguments, saturate_tanh_without_passing_one) {
  using E = TypeParam;
  const Reading<E> reading =
      evaluate<E>([](const auto& x) { return tanh(x[0]); }, {tensor<E>({4}, {-1e20, -50, 50, infinity<E>})});
  EXPECT_TRUE(same(reading.value, tensor<E>({4}, {-1, -1, 1, 1})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({4}, {0, 0, 0, 0})));
}

}  // namespace
}  // namespace topos::reports
