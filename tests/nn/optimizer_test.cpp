// Optimizers: both readings of a rule, in bits; PyTorch's numbers; state that is saved and goes on.
#include "topos/nn/optimizer.hpp"
#include "support/refusal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nn/captured_numbers.hpp"
#include "topos/nn/adam.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/nn/sgd.hpp"

namespace topos {
namespace {

using testing::expect_refusal;

template <class E>
class Optimizers : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Optimizers, ElementTypes);

template <class E>
std::vector<SgdRule<E>> sgd_rules() {
  const E momentum(0.9), dampening(0.3), decay(0.01);
  const DecayPolicy<E> matrices = [](const Symbol&, const Tensor<E>& parameter) {
    return parameter.rank() == 2;
  };
  return {{},
          {.momentum = momentum},
          {.momentum = momentum, .dampening = dampening},
          {.weight_decay = decay},
          {.momentum = momentum, .nesterov = true, .weight_decay = decay},
          {.momentum = momentum, .dampening = dampening, .weight_decay = decay, .decays = matrices}};
}
template <class E>
std::vector<AdamRule<E>> adam_rules() {
  return {{}, {.beta1 = E(0.5), .beta2 = E(0.75), .epsilon = E(0.001)}, {.beta1 = E(0), .beta2 = E(0)}};
}
template <class E>
std::vector<AdamWRule<E>> adamw_rules() {
  return {{}, {.decay = E(0.1), .decays = [](const Symbol&, const Tensor<E>&) { return true; }}};
}

/// A perceptron, its squared error and gradient; with a rule, a step of it.
template <class E>
struct Program {
  Symbol input, target, rate, first, bias, second;
  Adjoints adjoints;
  RecordedOptimizer recorded;
  Network<E> network;

  std::vector<NamedParameter> names() const {
    return {{"0.weights", first}, {"0.bias", bias}, {"1.weights", second}};
  }
  Feeds<E> feeds(std::uint64_t step) const {
    Uniform draws(step, 1.0);
    return {{input, draws.tensor<E>({4, 5})}, {target, draws.tensor<E>({4, 3})}};
  }
  Feeds<E> feeds(std::uint64_t step, E at) const {
    Feeds<E> all = feeds(step);
    all.push_back({rate, Tensor<E>(at)});
    return all;
  }
  Entry<E> training() const { return network.entry(adjoints.roots()).update(recorded.updates); }
};

template <class E, class Record>
Program<E> program(Record record) {
  Tape<E> tape;
  const auto first = tape.parameter(Uniform(1, 0.5).tensor<E>({5, 17}));
  const auto bias = tape.parameter(Uniform(2, 0.1).tensor<E>({17}));
  const auto second = tape.parameter(Uniform(3, 0.5).tensor<E>({17, 3}));
  const auto input = tape.input(Tensor<E>::filled({4, 5}, E(0)));
  const auto target = tape.input(Tensor<E>::filled({4, 3}, E(0)));
  const auto rate = tape.input(Tensor<E>(E(0.1)));
  const auto hidden = tanh(matmul(input, first) + broadcast_along(bias, 0, 4));
  const auto error = matmul(hidden, second) - target;
  const auto loss = sum(error * error);
  const Adjoints adjoints = tape.differentiate(loss, {second, first, bias});  // not in recording order
  RecordedOptimizer recorded = record(tape, adjoints, rate);
  return {input, target, rate, first, bias, second, adjoints, std::move(recorded), std::move(tape).seal()};
}
template <class E>
Program<E> program() {
  return program<E>([](auto&, auto&, auto&) { return RecordedOptimizer{}; });
}
template <class E, class Rule>
Program<E> program_with(const Rule& rule) {
  return program<E>([&](Tape<E>& tape, const Adjoints& adjoints, const Value<E>& rate) {
    return record_optimizer(tape, adjoints, rate, rule);
  });
}

template <class E>
bool same_trained(const Program<E>& a, const Parameters<E>& of_a, const Program<E>& b,
                  const Parameters<E>& of_b) {
  return same_bits(of_a.of(a.first), of_b.of(b.first)) && same_bits(of_a.of(a.bias), of_b.of(b.bias)) &&
         same_bits(of_a.of(a.second), of_b.of(b.second));
}

/// The recorded optimizer's state, by name.
template <class E>
NamedTensors<E> saved(const Program<E>& trained, const Parameters<E>& parameters) {
  NamedTensors<E> state;
  for (const NamedParameter& one : trained.recorded.named_state(trained.names())) {
    state.emplace_back(one.name, parameters.of(one.symbol));
  }
  return state;
}

template <class E>
void expect_same_state(NamedTensors<E> a, NamedTensors<E> b) {
  const auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::sort(a.begin(), a.end(), by_name);
  std::sort(b.begin(), b.end(), by_name);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(same_bits(a[i].second, b[i].second)) << a[i].first;
  }
}

/// The caller's own steps, a session and an interpreted program take one course, bit by bit, over `steps`
/// steps of changing rates.
template <class E, class Rule>
void expect_one_course(const Rule& rule, std::uint64_t steps) {
  const Program<E> plain = program<E>();
  const Program<E> trained = program_with<E>(rule);
  const Plan<E> gradients = plain.network.entry(plain.adjoints.roots()).lower();
  Parameters<E> by_hand = plain.network.parameters(), interpreted = trained.network.parameters();
  Optimizer<E, Rule> optimizer(rule);
  Session<E> fused = trained.training().lower().session(interpreted);
  Session<E> unfused =
      trained.training().engine({.fuse = false, .poison = 0xFF}).lower().session(interpreted);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const E rate = static_cast<E>(0.01 / (1.0 + 0.1 * static_cast<double>(step)));
    by_hand = optimizer.step(by_hand, gradients.forward(by_hand, plain.feeds(step)).gradients(plain.adjoints),
                             rate);
    fused.run(trained.feeds(step, rate));
    unfused.run(trained.feeds(step, rate));
    const Run<E> run = trained.training().interpret(interpreted, trained.feeds(step, rate));
    for (const Update& update : trained.recorded.updates) {
      interpreted = interpreted.with(update.parameter, run.of(update.value));
    }
    for (const Parameters<E>& other : {fused.parameters(), unfused.parameters(), interpreted}) {
      ASSERT_TRUE(same_trained(plain, by_hand, trained, other)) << "step " << step;
    }
  }
  EXPECT_EQ(optimizer.steps(), static_cast<std::int64_t>(steps));
  const NamedTensors<E> state = optimizer.state(by_hand, plain.names());
  expect_same_state(saved(trained, fused.parameters()), state);
  expect_same_state(saved(trained, interpreted), state);
  EXPECT_FALSE(same_bits(by_hand.of(plain.first), plain.network.parameters().of(plain.first)));
  for (const Tensor<E>& parameter : by_hand.payloads()) {
    for (const E element : parameter.elements()) ASSERT_TRUE(std::isfinite(element));
  }
}

TYPED_TEST(Optimizers, StepByHandInTheBitsOfASessionAndOfTheInterpreter) {
  using E = TypeParam;
  for (const auto& rule : sgd_rules<E>()) expect_one_course<E>(rule, 60);
  for (const auto& rule : adam_rules<E>()) expect_one_course<E>(rule, 60);
  for (const auto& rule : adamw_rules<E>()) expect_one_course<E>(rule, 60);
}

TYPED_TEST(Optimizers, OfTheirOwnNamesAreTheRules) {
  using E = TypeParam;
  const auto same_updates = [](const Program<E>& a, const Program<E>& b) {
    return a.network.describe() == b.network.describe() &&
           a.recorded.updates.size() == b.recorded.updates.size();
  };
  const auto adam = program<E>([](auto& tape, auto& adjoints, auto& rate) {
    return record_adam(tape, adjoints, rate, {.beta1 = E(0.5)});
  });
  EXPECT_TRUE(same_updates(adam, program_with<E>(AdamRule<E>{.beta1 = E(0.5)})));
  const auto adamw =
      program<E>([](auto& tape, auto& adjoints, auto& rate) { return record_adamw(tape, adjoints, rate); });
  EXPECT_TRUE(same_updates(adamw, program_with<E>(AdamWRule<E>{})));
  const auto momentum = program<E>([](auto& tape, auto& adjoints, auto& rate) {
    return record_sgd(tape, adjoints, rate, {.momentum = E(0.5)});
  });
  EXPECT_TRUE(same_updates(momentum, program_with<E>(SgdRule<E>{.momentum = E(0.5)})));
  EXPECT_FALSE(same_updates(momentum, program_with<E>(SgdRule<E>{})));
}

TYPED_TEST(Optimizers, WithoutHyperparametersAreThePlainStep) {
  using E = TypeParam;
  const Program<E> plain = program<E>();
  const Parameters<E> start = plain.network.parameters();
  const auto gradients = plain.network.forward(start, plain.feeds(1)).gradients(plain.adjoints);
  Sgd<E> descent;
  const Parameters<E> stepped = descent.step(start, gradients, E(0.1));
  EXPECT_TRUE(same_trained(plain, stepped, plain, start.step(gradients, sgd(E(0.1)))));
}

/// What the documented sequence gives, in scalar arithmetic.
template <class E>
E adamw_by_hand(E p, const std::vector<E>& gradients, const AdamWRule<E>& rule, E rate) {
  E m = 0, v = 0, first_power = 1, second_power = 1;
  for (const E g : gradients) {
    first_power = first_power * rule.beta1;
    second_power = second_power * rule.beta2;
    m = m * rule.beta1 + g * (E(1) - rule.beta1);
    v = v * rule.beta2 + (g * g) * (E(1) - rule.beta2);
    const E direction = (m / (E(1) - first_power)) / (std::sqrt(v / (E(1) - second_power)) + rule.epsilon);
    p = (p - direction * rate) - (p * rule.decay) * rate;
  }
  return p;
}

TYPED_TEST(Optimizers, FollowTheDocumentedSequenceOfOperations) {
  using E = TypeParam;
  Tape<E> tape;
  const auto p = tape.parameter(Tensor<E>({1, 1}, {E(0.7)}));
  const auto b = tape.parameter(Tensor<E>({1}, {E(0.7)}));
  const Network<E> network = std::move(tape).seal();
  Parameters<E> parameters = network.parameters();
  AdamW<E> adamw({.decay = E(0.3)});
  std::vector<E> gradients;
  for (int step = 0; step < 300; ++step) {
    gradients.push_back(static_cast<E>(std::ldexp(step % 7 - 3.3, step % 11 - 6)));
    const auto direction =
        parameters.with(p, Tensor<E>({1, 1}, {gradients.back()})).with(b, Tensor<E>({1}, {gradients.back()}));
    parameters = adamw.step(parameters, direction, E(0.01));
    ASSERT_EQ(bits_of(parameters.of(p).item()),
              bits_of(adamw_by_hand(E(0.7), gradients, adamw.rule(), E(0.01))));
    AdamWRule<E> undecayed{.decay = E(0)};
    ASSERT_EQ(bits_of(parameters.of(b).item()),
              bits_of(adamw_by_hand(E(0.7), gradients, undecayed, E(0.01))));
  }
}

/// Steps the captured problem and compares with every captured step.
template <class E, class Rule>
void expect_captured(const std::string& name, const Rule& rule) {
  const auto numbers = testing::captured_numbers("nn/captured/optimizers.txt");
  const std::string element(ElementTraits<E>::name);
  const auto tensor = [&](const std::string& title, const Shape& shape) {
    std::vector<E> elements;
    for (const double number : numbers.at(element + " " + title)) elements.push_back(static_cast<E>(number));
    return Tensor<E>(shape, std::move(elements));
  };
  const Shape matrix{3, 2}, row{2};
  Tape<E> tape;
  const auto weights = tape.parameter(tensor("start weights", matrix));
  const auto bias = tape.parameter(tensor("start bias", row));
  const Network<E> network = std::move(tape).seal();
  Parameters<E> parameters = network.parameters();
  Optimizer<E, Rule> optimizer(rule);
  // The reference computes the same formulas with other roundings: f32 hyperparameters and powers are kept in
  // f64 there, and products may be fused with sums.
  const double relative = sizeof(E) == 4 ? 2e-6 : 1e-13;
  for (int step = 1; step <= 12; ++step) {
    const auto gradients = parameters.with(weights, tensor(fmt::format("gradient {} weights", step), matrix))
                               .with(bias, tensor(fmt::format("gradient {} bias", step), row));
    parameters = optimizer.step(parameters, gradients, E(0.0625));
    for (const auto& [symbol, title] : {std::pair<Symbol, std::string>{weights, "weights"}, {bias, "bias"}}) {
      const Tensor<E>& actual = parameters.of(symbol);
      const Tensor<E> expected = tensor(fmt::format("{} {} {}", name, step, title), actual.shape());
      for (std::size_t i = 0; i < actual.elements().size(); ++i) {
        const double wanted = expected.elements()[i];
        EXPECT_NEAR(actual.elements()[i], wanted, relative * std::fabs(wanted))
            << name << " " << step << " " << title;
      }
    }
  }
}

TYPED_TEST(Optimizers, GiveWhatPyTorchGives) {
  using E = TypeParam;
  expect_captured<E>("sgd", SgdRule<E>{});
  expect_captured<E>("sgd_decay", SgdRule<E>{.weight_decay = E(0.25)});
  expect_captured<E>("sgd_momentum", SgdRule<E>{.momentum = E(0.875)});
  expect_captured<E>("sgd_dampened", SgdRule<E>{.momentum = E(0.875), .dampening = E(0.5)});
  expect_captured<E>("sgd_nesterov",
                     SgdRule<E>{.momentum = E(0.875), .nesterov = true, .weight_decay = E(0.25)});
  expect_captured<E>("adam", AdamRule<E>{});
  expect_captured<E>("adam_short", AdamRule<E>{.beta1 = E(0.5), .beta2 = E(0.75), .epsilon = E(1e-3)});
  expect_captured<E>("adamw", AdamWRule<E>{.decay = E(0.25)});
}

TYPED_TEST(Optimizers, NameTheirState) {
  using E = TypeParam;
  const Program<E> trained = program_with<E>(AdamRule<E>{});
  const std::vector<std::string> expected{"optimizer.step",
                                          "optimizer.first_power",
                                          "optimizer.second_power",
                                          "optimizer.first.1.weights",
                                          "optimizer.second.1.weights",
                                          "optimizer.first.0.weights",
                                          "optimizer.second.0.weights",
                                          "optimizer.first.0.bias",
                                          "optimizer.second.0.bias"};
  std::vector<std::string> names;
  for (const NamedParameter& one : trained.recorded.named_state(trained.names())) names.push_back(one.name);
  EXPECT_EQ(names, expected);
  const Program<E> plain = program<E>();
  const NamedTensors<E> state = Adam<E>().state(plain.network.parameters(), plain.names());
  ASSERT_EQ(state.size(), 9u);
  EXPECT_EQ(state[3].first, "optimizer.first.0.weights");
  EXPECT_TRUE(same_bits(state[3].second, Tensor<E>::filled({5, 17}, E(0))));
  EXPECT_TRUE(same_bits(state[0].second, Tensor<E>(E(0))));
  EXPECT_TRUE(same_bits(state[1].second, Tensor<E>(E(1))));
  EXPECT_EQ(Sgd<E>().state(plain.network.parameters(), plain.names()).size(), 1u);
  EXPECT_EQ(Sgd<E>({.momentum = E(0.9)}).state(plain.network.parameters(), plain.names()).size(), 4u);
}

/// A course that is saved in the middle and goes on elsewhere, by hand or in a session, ends in the bits of
/// one that was not.
template <class E, class Rule>
void expect_to_go_on(const Rule& rule) {
  const Program<E> plain = program<E>();
  const Program<E> trained = program_with<E>(rule);
  const auto steps = [&](Parameters<E>& parameters, Optimizer<E, Rule>& optimizer, std::uint64_t from,
                         std::uint64_t to) {
    for (std::uint64_t step = from; step < to; ++step) {
      const auto run = plain.network.forward(parameters, plain.feeds(step));
      parameters = optimizer.step(parameters, run.gradients(plain.adjoints), E(0.01));
    }
  };
  const auto into = [&](Parameters<E> parameters, const Parameters<E>& weights,
                        const NamedTensors<E>& state) {
    for (const auto& [symbol, other] : {std::pair{trained.first, plain.first},
                                        {trained.bias, plain.bias},
                                        {trained.second, plain.second}}) {
      parameters = parameters.with(symbol, weights.of(other));
    }
    for (const NamedParameter& one : trained.recorded.named_state(trained.names())) {
      const auto found = std::find_if(state.begin(), state.end(),
                                      [&](const auto& named) { return named.first == one.name; });
      parameters = parameters.with(one.symbol, found->second);
    }
    return parameters;
  };
  Parameters<E> expected = plain.network.parameters();
  Optimizer<E, Rule> whole(rule);
  steps(expected, whole, 0, 7);
  const Parameters<E> middle = expected;
  NamedTensors<E> state = whole.state(middle, plain.names());
  steps(expected, whole, 7, 15);

  std::reverse(state.begin(), state.end());  // the order says nothing
  Optimizer<E, Rule> restored(rule);
  restored.restore(middle, plain.names(), state);
  EXPECT_EQ(restored.steps(), 7);
  Parameters<E> by_hand = middle;
  steps(by_hand, restored, 7, 15);
  EXPECT_TRUE(same_trained(plain, by_hand, plain, expected));

  Session<E> session = trained.training().lower().session(into(trained.network.parameters(), middle, state));
  for (std::uint64_t step = 7; step < 10; ++step) session.run(trained.feeds(step, E(0.01)));
  Optimizer<E, Rule> from_session(rule);
  from_session.restore(middle, plain.names(), saved(trained, session.parameters()));
  Parameters<E> last = middle;
  for (const auto& [symbol, other] :
       {std::pair{plain.first, trained.first}, {plain.bias, trained.bias}, {plain.second, trained.second}}) {
    last = last.with(symbol, session.parameters().of(other));
  }
  steps(last, from_session, 10, 15);
  EXPECT_TRUE(same_trained(plain, last, plain, expected));
  expect_same_state(from_session.state(last, plain.names()), whole.state(expected, plain.names()));
}

TYPED_TEST(Optimizers, GoOnFromTheirSavedStateInEitherForm) {
  using E = TypeParam;
  expect_to_go_on<E>(SgdRule<E>{.momentum = E(0.9), .dampening = E(0.3)});
  expect_to_go_on<E>(AdamRule<E>{});
  expect_to_go_on<E>(AdamWRule<E>{});
}

TYPED_TEST(Optimizers, KeepOneStateForASharedParameter) {
  using E = TypeParam;
  Tape<E> tape;
  const auto shared = tape.parameter(Tensor<E>({2, 2}, {E(1), E(2), E(3), E(4)}));
  const auto loss = sum(matmul(shared, shared));
  const Adjoints adjoints = tape.differentiate(loss, {shared});
  const auto rate = tape.input(Tensor<E>(E(0.1)));
  const RecordedOptimizer recorded = record_adam(tape, adjoints, rate);
  EXPECT_EQ(recorded.state.size(), 5u);
  EXPECT_EQ(recorded.updates.size(), 6u);
  const auto named = recorded.named_state({{"table", shared}, {"head", shared}});
  EXPECT_EQ(named.back().name, "optimizer.second.table");
}

TEST(OptimizerState, ThatDoesNotFitIsRefusedAndChangesNothing) {
  const Program<float> plain = program<float>();
  const Parameters<float> start = plain.network.parameters();
  const auto gradients = plain.network.forward(start, plain.feeds(0)).gradients(plain.adjoints);
  Adam<float> adam;
  adam.step(start, gradients, 0.1f);
  const NamedTensors<float> good = adam.state(start, plain.names());
  NamedTensors<float> changed = good;
  changed[4].first = "optimizer.third.0.weights";
  changed[0].first = "step";
  expect_refusal([&] { adam.restore(start, plain.names(), changed); },
                 "missing: [optimizer.step, optimizer.second.0.weights], "
                 "unexpected: [step, optimizer.third.0.weights]");
  changed = good;
  changed[3].second = Tensor<float>({2}, {1, 2});
  expect_refusal([&] { adam.restore(start, plain.names(), changed); },
                 "optimizer.first.0.weights has shape [5, 17]; got a tensor of shape [2]");
  for (const float step : {-1.0f, 1e30f, std::nanf("")}) {
    changed = good;
    changed[0].second = Tensor<float>(step);
    expect_refusal([&] { adam.restore(start, plain.names(), changed); },
                   "optimizer.step is a count of steps");
  }
  expect_refusal([&] { adam.state(start, {{"w", plain.first}, {"w", plain.bias}, {"v", plain.second}}); },
                 "nodes 0 and 1, are both named w");
  expect_refusal([&] { adam.state(start, {{"0.weights", plain.first}}); }, "none of the 1 names is for");
  const Program<float> other = program<float>();
  const Parameters<float> others = other.network.parameters();
  expect_refusal([&] { adam.step(others, others, 0.1f); }, "goes on with the parameters of its first step");
  expect_refusal([&] { adam.step(start, others, 0.1f); }, "of the same program");
  expect_same_state(adam.state(start, plain.names()), good);
  EXPECT_EQ(adam.steps(), 1);
}

TEST(OptimizerState, IsCopiedWithItsOptimizer) {
  const Program<double> plain = program<double>();
  const Parameters<double> start = plain.network.parameters();
  const auto gradients = plain.network.forward(start, plain.feeds(0)).gradients(plain.adjoints);
  Adam<double> adam;
  adam.step(start, gradients, 0.1);
  Adam<double> copy = adam;
  EXPECT_TRUE(same_trained(plain, adam.step(start, gradients, 0.1), plain, copy.step(start, gradients, 0.1)));
  copy.step(start, gradients, 0.1);
  EXPECT_EQ(adam.steps(), 2);
  EXPECT_EQ(copy.steps(), 3);
}

TEST(OptimizerRules, RefuseHyperparametersThatMeanNothing) {
  expect_refusal([] { Adam<float>({.beta1 = 1.0f}); }, "beta1 in [0, 1); got 1");
  expect_refusal([] { Adam<float>({.beta2 = -0.5f}); }, "beta2 in [0, 1); got -0.5");
  expect_refusal([] { AdamW<float>({.beta2 = std::nanf("")}); }, "beta2 in [0, 1); got NaN");
  expect_refusal([] { Adam<double>({.epsilon = -1.0}); }, "epsilon of at least 0; got -1");
  expect_refusal([] { Sgd<float>({.nesterov = true}); }, "needs a momentum");
  expect_refusal([] { Sgd<float>({.momentum = 0.5f, .dampening = 0.5f, .nesterov = true}); },
                 "dampening 0.5");
  expect_refusal([] { program_with<float>(AdamRule<float>{.beta1 = 2.0f}); }, "beta1 in [0, 1)");
}

TEST(RecordedOptimizers, WriteParametersAndStateInPlace) {
  const Program<float> trained = program_with<float>(AdamWRule<float>{});
  const std::string engine = trained.training().lower().describe_engine();
  std::size_t in_place = 0;
  for (std::size_t at = 0; (at = engine.find(" in place\n", at)) != std::string::npos; ++at) ++in_place;
  EXPECT_EQ(in_place, trained.recorded.updates.size()) << engine;
}

TEST(RecordedOptimizers, TrainParametersOnceEach) {
  Tape<float> tape;
  const auto x = tape.parameter(Tensor<float>(2.0f));
  const auto y = tape.input(Tensor<float>(3.0f));
  const auto z = x * y;
  const auto loss = z * z;
  const Adjoints of_input = tape.differentiate(loss, {y});
  const Adjoints of_computed = tape.differentiate(loss, {z});
  const Adjoints twice = tape.differentiate(loss, {x, x});
  const std::size_t size = tape.size();
  expect_refusal([&] { record_adam(tape, of_input, y); }, "node 1, Input");
  expect_refusal([&] { record_adam(tape, of_computed, y); }, "node 2, Mul");
  expect_refusal([&] { record_adam(tape, twice, y); }, "node 0 has two adjoints");
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos
