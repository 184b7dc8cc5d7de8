// What an optimizer is made of: a rule that a test writes, and the readings of the library's rules.
#include <gtest/gtest.h>

#include "topos/nn/adam.hpp"
#include "topos/nn/sgd.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

/// Descent by the signs of a running total of gradients: p = p - sign(total) rate step.
struct SignRule {
  void check() const {}
  std::vector<std::pair<std::string, float>> shared() const { return {}; }
  std::vector<std::string> moments() const { return {"total"}; }
  bool decays(const Symbol&, const T&) const { return false; }

  template <Recordable R>
  R advance(const R& count, std::vector<R>&) const {
    return count;
  }
  template <Recordable R>
  R update(OptimizerSlot<R>& slot, const R& count, const R& rate) const {
    R& total = slot.moments[0];
    total = add(total, slot.gradient);
    const Shape shape = slot.parameter.shape();
    const R zeros = slot.parameter.constant(shape, 0.0);
    const R positive = step(total, zeros);
    const R negative = step(zeros, total);
    const R sign = subtract(positive, negative);
    const R scale = multiply(rate, count);
    return subtract(slot.parameter, multiply(sign, broadcast(scale, shape)));
  }
};
static_assert(OptimizerRule<SignRule, float> && OptimizerRule<AdamWRule<double>, double>);

/// The gradient of sum(parameter * slopes), with the slopes fed.
struct Line {
  Tape<float> tape;
  Value<float> parameter = tape.parameter(T({2}, {10, 20}));
  Value<float> slopes = tape.input(T({2}, {0, 0}));
  Value<float> loss = sum(parameter * slopes);
  Adjoints adjoints = tape.differentiate(loss, {parameter});
};

TEST(OwnOptimizer, StepsParametersThatTheCallerHolds) {
  Line line;
  const Symbol parameter = line.parameter, slopes = line.slopes;
  const Network<float> network = std::move(line.tape).seal();
  const Plan<float> plan = network.entry(line.adjoints.roots()).lower();
  Optimizer<float, SignRule> optimizer;
  Parameters<float> parameters = network.parameters();
  for (const T& slope : {T({2}, {3, -4}), T({2}, {-5, 1})}) {
    const auto run = plan.forward(parameters, {{slopes, slope}});
    parameters = optimizer.step(parameters, run.gradients(line.adjoints), 0.5f);
  }
  // Totals 3, -4 and then -2, -3: by 0.5, then by 1.
  EXPECT_EQ(describe(parameters.of(parameter)), "[10.5, 21.5]");
  EXPECT_EQ(optimizer.steps(), 2);
}

TEST(OwnOptimizer, IsRecordedByTheSameRule) {
  Line line;
  const Symbol parameter = line.parameter, slopes = line.slopes;
  const Value<float> rate = line.tape.leaf(T(0.5f));
  const RecordedOptimizer recorded = record_optimizer(line.tape, line.adjoints, rate, SignRule());
  ASSERT_EQ(recorded.state.size(), 2u);
  const RecordedOptimizer::State& total = recorded.state[1];
  EXPECT_EQ(recorded.state[0].name, "step");
  EXPECT_EQ(total.name, "total");
  EXPECT_EQ(total.parameter, parameter);
  const Network<float> network = std::move(line.tape).seal();
  Session<float> session =
      network.entry(line.adjoints.roots()).update(recorded.updates).lower().session(network.parameters());
  session.run({{slopes, T({2}, {3, -4})}});
  session.run({{slopes, T({2}, {-5, 1})}});
  EXPECT_EQ(describe(session.parameters().of(parameter)), "[10.5, 21.5]");
  EXPECT_EQ(describe(session.parameters().of(total.symbol)), "[-2, -3]");
}

TEST(Rules, NameTheStateThatTheyKeep) {
  EXPECT_TRUE(SgdRule<float>().moments().empty());
  EXPECT_EQ(SgdRule<float>{.momentum = 0.9f}.moments(), std::vector<std::string>{"velocity"});
  EXPECT_EQ(AdamRule<float>().moments(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(AdamWRule<float>().shared()[1].first, "second_power");
}

TEST(Rules, MoveWhatTheyShareOnOnceAStep) {
  const AdamRule<double> adam{.beta1 = 0.5, .beta2 = 0.75};
  std::vector<Tensor<double>> powers{Tensor<double>(1), Tensor<double>(1)};
  for (int count = 1; count <= 2; ++count) adam.advance(Tensor<double>(count), powers);
  EXPECT_EQ(powers[0].item(), 0.25);
  EXPECT_EQ(powers[1].item(), 0.5625);
  // The first gradient is not dampened.
  const SgdRule<double> sgd{.momentum = 0.5, .dampening = 0.25};
  EXPECT_EQ(sgd.advance(Tensor<double>(1), powers)->item(), 1.0);
  EXPECT_EQ(sgd.advance(Tensor<double>(2), powers)->item(), 0.75);
}

}  // namespace
}  // namespace topos
