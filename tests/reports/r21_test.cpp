// Adam's epsilon stands beside the corrected root, the correction is 1 - beta^t, and decay is not scaled by
// it.
#include "reports/readings.hpp"
#include "topos/nn/adam.hpp"

namespace topos::reports {
namespace {

template <class E>
class Adams : public ::testing::Test {};
TYPED_TEST_SUITE(Adams, ElementTypes);
template <class E>
class AdamsText : public EmittedText {};
TYPED_TEST_SUITE(AdamsText, ElementTypes);

/// One parameter whose gradient is fed, and its step.
template <class E>
struct Stepper {
  Symbol parameter, gradient;
  RecordedOptimizer recorded;
  Network<E> network;

  Plan<E> plan() const { return network.entry(Symbols{}).update(recorded.updates).lower(); }
};

template <class E, class Rule>
Stepper<E> stepper(const Shape& shape, E start, const Rule& rule) {
  Tape<E> tape;
  const auto parameter = tape.parameter(Tensor<E>::filled(shape, start));
  const auto gradient = tape.input(Tensor<E>::filled(shape, E(0)));
  const Adjoints adjoints = tape.differentiate(sum(parameter * gradient), {parameter});
  const auto rate = tape.leaf(Tensor<E>(E(1e-3)));
  RecordedOptimizer recorded = record_optimizer(tape, adjoints, rate, rule);
  return {parameter, gradient, std::move(recorded), std::move(tape).seal()};
}

/// The parameter after each of the gradients: by hand, in a session, and both in the same bits.
template <class E, class Rule>
std::vector<Tensor<E>> course(const Shape& shape, E start, const std::vector<double>& gradients,
                              const Rule& rule) {
  const Stepper<E> one = stepper(shape, start, rule);
  const Parameters<E> initial = one.network.parameters();
  Session<E> session = one.plan().session(initial);
  Tape<E> tape;
  const Symbol held = tape.parameter(Tensor<E>::filled(shape, start));
  Parameters<E> by_hand = std::move(tape).seal().parameters();
  Optimizer<E, Rule> optimizer(rule);
  std::vector<Tensor<E>> after;
  for (const double number : gradients) {
    const auto gradient = Tensor<E>::filled(shape, static_cast<E>(number));
    session.run({{one.gradient, gradient}});
    by_hand = optimizer.step(by_hand, by_hand.with(held, gradient), E(1e-3));
    after.push_back(session.parameters().of(one.parameter));
    EXPECT_TRUE(same(by_hand.of(held), after.back()));
  }
  return after;
}

// In f32 the powers of beta and the hyperparameters round, and 1 - beta2^2 = 0.002 keeps their absolute
// error.
template <class E>
constexpr double tolerance = std::is_same_v<E, float> ? 2e-5 : 1e-7;

TYPED_TEST(Adams, take_half_a_step_where_the_gradient_is_epsilon) {
  using E = TypeParam;
  const auto after = course<E>({}, E(0), {1e-8, -3e-8}, AdamRule<E>{});
  EXPECT_TRUE(near(after[0], tensor<E>({}, {-5.0e-4}), tolerance<E>));
  EXPECT_TRUE(near(after[1], tensor<E>({}, {-1.5850211e-4}), tolerance<E>))
      << "a folded correction: 1.4271e-5";
}

TYPED_TEST(Adams, follow_gradients_of_both_signs) {
  using E = TypeParam;
  const auto after = course<E>({}, E(0), {0.1, 0.1, -0.2}, AdamRule<E>{});
  EXPECT_TRUE(near(after[0], tensor<E>({}, {-1e-3}), 2 * tolerance<E>));  // epsilon is 1e-7 of the gradient
  EXPECT_TRUE(near(after[2], tensor<E>({}, {-1.9243505e-3}), tolerance<E>));
}

TYPED_TEST(Adams, stay_at_a_zero_gradient) {
  using E = TypeParam;
  for (const Tensor<E>& after : course<E>({2}, E(0), {0, 0, 0, 0}, AdamRule<E>{})) {
    EXPECT_TRUE(same(after, tensor<E>({2}, {0, 0})));
  }
}

TYPED_TEST(Adams, decay_by_the_rate_alone) {
  using E = TypeParam;
  const AdamWRule<E> rule{.decay = E(0.5)};
  E expected(2);
  for (const Tensor<E>& after : course<E>({1, 2}, expected, {0, 0, 0}, rule)) {
    expected = expected - (expected * E(0.5)) * E(1e-3);
    EXPECT_TRUE(same(after, Tensor<E>::filled({1, 2}, expected)));
  }
  EXPECT_TRUE(same(course<E>({2}, E(2), {0}, rule)[0], Tensor<E>::filled({2}, E(2))))
      << "a bias does not decay";
}

TYPED_TEST(Adams, correct_by_the_step_that_they_are_in_when_they_go_on) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> parameter = tape.parameter(Tensor<E>(E(0)));
  const std::vector<NamedParameter> names{{"p", parameter}};
  const Symbol p = parameter;
  Parameters<E> whole = std::move(tape).seal().parameters();
  const auto gradient = [&](double number) { return whole.with(p, Tensor<E>(static_cast<E>(number))); };
  Adam<E> adam;
  whole = adam.step(whole, gradient(0.1), E(1e-3));
  const NamedTensors<E> state = adam.state(whole, names);
  EXPECT_EQ(state[0].first, "optimizer.step");
  EXPECT_TRUE(same(state[0].second, Tensor<E>(E(1))));
  Adam<E> later;
  later.restore(whole, names, state);
  Parameters<E> resumed = whole;
  for (const double number : {0.1, -0.2}) {
    whole = adam.step(whole, gradient(number), E(1e-3));
    resumed = later.step(resumed, gradient(number), E(1e-3));
    EXPECT_TRUE(same(resumed.of(p), whole.of(p)));
  }
  EXPECT_TRUE(near(resumed.of(p), tensor<E>({}, {-1.9243505e-3}), tolerance<E>));
}

TYPED_TEST(AdamsText, step_parameters_and_state_in_the_text) {
  using E = TypeParam;
  const Stepper<E> one = stepper(Shape{}, E(0), AdamRule<E>{});
  const Plan<E> plan = one.plan();
  Session<E> session = plan.session(one.network.parameters());
  Parameters<E> state = one.network.parameters();
  for (const double number : {0.1, 0.1, -0.2}) {
    const Tensor<E> gradient(static_cast<E>(number));
    std::vector<Tensor<E>> arguments;
    for (const Symbol& argument : plan.arguments()) {
      arguments.push_back(argument == one.gradient ? gradient : state.of(argument));
    }
    const std::vector<Tensor<E>> results = evaluate_text(plan, arguments);
    session.run({{one.gradient, gradient}});
    for (const Update& update : one.recorded.updates) {
      const Symbols symbols = plan.results();
      const auto at = std::find(symbols.begin(), symbols.end(), update.value) - symbols.begin();
      state = state.with(update.parameter, results[static_cast<std::size_t>(at)]);
      EXPECT_TRUE(same(state.of(update.parameter), session.parameters().of(update.parameter))) << number;
    }
  }
}

}  // namespace
}  // namespace topos::reports
