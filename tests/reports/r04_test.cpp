// x^y and its two derivatives at the special points, where the formulas y x^(y-1) and x^y ln(x) meet 0 times
// infinity or a logarithm of a negative number.
#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Powers : public ::testing::Test {};
TYPED_TEST_SUITE(Powers, ElementTypes);
template <class E>
class PowersText : public EmittedText {};
TYPED_TEST_SUITE(PowersText, ElementTypes);

template <class E>
std::vector<Tensor<E>> special_points() {
  return {tensor<E>({8}, {-2, -2, -2, 0, 0, 0, 0, -8}), tensor<E>({8}, {2, 3, -3, 1, 2, 0, 0.5, 1.0 / 3})};
}

template <class E>
Value<E> power(const std::vector<Value<E>>& x) {
  return pow(x[0], x[1]);
}

TYPED_TEST(Powers, have_the_derivatives_of_the_power_rule_at_every_special_point) {
  using E = TypeParam;
  constexpr E nan = not_a_number<E>;
  const Reading<E> reading = evaluate<E>(power<E>, special_points<E>());
  EXPECT_TRUE(same(reading.value, tensor<E>({8}, {4, -8, -0.125, 0, 0, 1, 0, nan})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({8}, {-4, 12, -0.1875, 1, 0, 0, infinity<E>, nan})));
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>({8}, {nan, nan, nan, 0, 0, 0, 0, nan})));
}

TYPED_TEST(Powers, of_zero_and_of_exponent_zero_are_finite_for_either_sign_of_zero) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(
      power<E>, {tensor<E>({6}, {-0.0, 0, -0.0, 3, -3, infinity<E>}), tensor<E>({6}, {2, 3, 3, 0, 0, -0.0})});
  EXPECT_TRUE(same(reading.value, tensor<E>({6}, {0, 0, -0.0, 1, 1, 1})));
  EXPECT_EQ(describe(reading.gradients[0].narrowed(0, 3, 3)), "[0, 0, 0]");
  for (const E slope : reading.gradients[0].narrowed(0, 0, 3).elements()) EXPECT_EQ(slope, E(0));
  for (const E slope : reading.gradients[1].narrowed(0, 0, 3).elements()) EXPECT_EQ(slope, E(0));
}

TYPED_TEST(Powers, of_zero_with_a_negative_exponent_have_a_pole) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(power<E>, {tensor<E>({2}, {0, -0.0}), tensor<E>({2}, {-1, -1})});
  EXPECT_TRUE(same(reading.value, tensor<E>({2}, {infinity<E>, -infinity<E>})));
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({2}, {-infinity<E>, -infinity<E>})));
}

TYPED_TEST(Powers, of_a_negative_base_train_with_a_constant_exponent) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.parameter(tensor<E>({}, {-2}));
  const Value<E> loss = pow(x, tape.leaf(tensor<E>({}, {2})));
  const Adjoints adjoints = tape.differentiate(loss, {x});
  const Adjoints second = tape.differentiate(adjoints.of(x), {x});
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry({adjoints.of(x), second.of(x)}).lower();
  const Run<E> run = plan.forward(network.parameters(), {});
  EXPECT_EQ(run.of(adjoints.of(x)).item(), E(-4));
  EXPECT_EQ(run.of(second.of(x)).item(), E(2));
  EXPECT_EQ(emit_stablehlo(plan).find("stablehlo.log "), std::string::npos)
      << "the derivative by the exponent, a logarithm, is not computed";
}

TYPED_TEST(PowersText, have_the_same_values_and_derivatives) {
  using E = TypeParam;
  // every value and slope here is exact in either evaluation
  EXPECT_TRUE(
      same(evaluate_text<E>(power<E>, special_points<E>()), evaluate<E>(power<E>, special_points<E>())));
}

}  // namespace
}  // namespace topos::reports
