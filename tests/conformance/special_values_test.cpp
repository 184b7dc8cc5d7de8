// NaN, infinities, zeros of both signs and subnormals abroad. XLA flushes subnormals and rewrites expressions
// (it takes log(exp(100)) for 100), so the witness here is the reference interpreter alone, which does
// neither.
#include <gtest/gtest.h>

#include <cmath>

#include "support/foreign.hpp"
#include "support/op_cases.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

template <class E>
class SpecialValues : public ::testing::Test {
 protected:
  void SetUp() override { TOPOS_REQUIRE_ENGINE(Engine::interpreter); }
};
using ElementTypes = ::testing::Types<float, double, Bf16>;
TYPED_TEST_SUITE(SpecialValues, ElementTypes);

/// CHLO's f32 form of erf scales a tiny argument down before it divides, which rounds among the subnormals.
constexpr double erf_underflow = 32.0;

/// Equal NaNs, infinities and signs; finite elements within `units` in the last place, or, where those are
/// smaller, `smallest` subnormals.
template <class E>
::testing::AssertionResult same_values(const Tensor<E>& theirs, const Tensor<E>& ours, double units,
                                       const std::function<std::string(std::size_t)>& where,
                                       double smallest = 1.0) {
  const Elements<E> a = theirs.elements(), b = ours.elements();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double apart = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    const double allowed =
        std::max(units * std::numeric_limits<E>::epsilon() * std::fabs(static_cast<double>(b[i])),
                 smallest * std::numeric_limits<E>::denorm_min());
    const bool equal = a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i]);
    const bool near = units > 0.0 && std::isfinite(a[i]) && std::isfinite(b[i]) && apart <= allowed;
    if (!equal && !near) {
      return ::testing::AssertionFailure()
             << where(i) << " is " << describe_element(a[i]) << " for our " << describe_element(b[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

TYPED_TEST(SpecialValues, mean_the_same_to_every_elementwise_operation) {
  using E = TypeParam;
  const std::vector<E> special = special_elements<E>();
  const Extent count = static_cast<Extent>(special.size());
  std::vector<E> first, second;
  for (const E a : special) {
    for (const E b : special) {
      first.push_back(a);
      second.push_back(b);
    }
  }
  const std::vector<Operation> operations{
      make_operation<Add>(),    make_operation<Subtract>(), make_operation<Multiply>(),
      make_operation<Divide>(), make_operation<Negate>(),   make_operation<Exp>(),
      make_operation<Log>(),    make_operation<Sqrt>(),     make_operation<Tanh>(),
      make_operation<Sin>(),    make_operation<Cos>(),      make_operation<Log1p>(),
      make_operation<Expm1>(),  make_operation<Erf>(),      make_operation<ErfDerivative>(),
      make_operation<Power>(),  make_operation<Maximum>(),  make_operation<Step>()};
  Tape<E> tape;
  const Value<E> a = tape.input(Tensor<E>({count * count}, first));
  const Value<E> b = tape.input(Tensor<E>({count * count}, second));
  Symbols results;
  for (const Operation& operation : operations) {
    const std::vector<Value<E>> operands = operation.arity() == 1 ? std::vector{a} : std::vector{a, b};
    results.push_back(Value<E>::apply(operation, operands, Where::current()).symbol());
  }
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry(results).lower();
  const auto ours = plan.forward(network.parameters(), {});
  const std::vector<Tensor<E>> theirs = evaluate_abroad(Engine::interpreter, plan, network.parameters(), {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Operation& operation = operations[i];
    const double units = allowance_of(operation.name())->template of<E>(Engine::interpreter);
    EXPECT_TRUE(same_values(
        theirs[i], ours.of(results[i]), units,
        [&](std::size_t at) {
          return fmt::format("{} of {} and {}", operation.name(), describe_element(first[at]),
                             describe_element(second[at]));
        },
        operation.is<Erf>() ? erf_underflow : 1.0));
  }
}

TYPED_TEST(SpecialValues, mean_the_same_to_every_reduction) {
  using E = TypeParam;
  const E infinity = std::numeric_limits<E>::infinity(), invalid = std::numeric_limits<E>::quiet_NaN();
  const E smallest = std::numeric_limits<E>::denorm_min();
  const E zero(0), one(1);
  const std::vector<std::vector<E>> lines{{-infinity, -infinity}, {zero, zero},
                                          {infinity, zero},       {infinity, infinity},
                                          {infinity, -infinity},  {invalid, one},
                                          {one, invalid},         {invalid, invalid},
                                          {-zero, -zero},         {-zero, zero},
                                          {smallest, smallest},   {smallest, zero},
                                          {-infinity, E(3)},      {std::numeric_limits<E>::max(), one}};
  std::vector<E> elements;
  for (const std::vector<E>& line : lines) elements.insert(elements.end(), line.begin(), line.end());
  const Extent rows = static_cast<Extent>(lines.size());
  Tape<E> tape;
  const Value<E> x = tape.input(Tensor<E>({rows, 2}, elements));
  const Value<E> ones = tape.input(Tensor<E>({2, 1}, {one, one}));
  const Value<E> values = logsumexp(x, 1);
  const Adjoints adjoints = tape.differentiate(sum(narrow(values, 0, 0, 2)), {x});
  const Symbols results{sum_along(x, 1),
                        sum(narrow(x, 0, 0, 1)),
                        matmul(x, ones),
                        values,
                        adjoints.of(x.symbol()),
                        log_softmax(x, 1),
                        maximum(narrow(x, 1, 0, 1), narrow(x, 1, 1, 1))};
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry(results).lower();
  const auto ours = plan.forward(network.parameters(), {});
  const std::vector<Tensor<E>> theirs = evaluate_abroad(Engine::interpreter, plan, network.parameters(), {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(same_values(theirs[i], ours.of(results[i]), 4.0,
                            [&](std::size_t at) { return fmt::format("result {}, element {}", i, at); }))
        << describe(theirs[i]) << "\n"
        << describe(ours.of(results[i]));
  }
}

TYPED_TEST(SpecialValues, of_maximum_and_power_and_logsumexp_have_the_same_gradients) {
  using E = TypeParam;
  const std::vector<E> special = special_elements<E>();
  std::vector<E> first, second;
  for (const E a : special) {
    for (const E b : special) {
      first.push_back(a);
      second.push_back(b);
    }
  }
  const Shape shape({static_cast<Extent>(first.size())});
  Tape<E> tape;
  const Value<E> a = tape.input(Tensor<E>(shape, first));
  const Value<E> b = tape.input(Tensor<E>(shape, second));
  const Value<E> weights = tape.leaf(Tensor<E>::filled(shape, E(1)));
  Symbols results;
  for (const Value<E>& value : {maximum(a, b), pow(a, b), relu(a), abs(a)}) {
    const Adjoints adjoints = tape.vjp(value, weights, {a, b});
    for (const Adjoints::Pair& pair : adjoints.pairs()) results.push_back(pair.gradient);
  }
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry(results).lower();
  const auto ours = plan.forward(network.parameters(), {});
  const std::vector<Tensor<E>> theirs = evaluate_abroad(Engine::interpreter, plan, network.parameters(), {});
  ASSERT_EQ(theirs.size(), plan.results().size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    // A power, a product, a logarithm and a product: each rounds.
    EXPECT_TRUE(same_values(theirs[i], ours.of(plan.results()[i]), 8.0, [&](std::size_t at) {
      return fmt::format("gradient {} at {} and {}", i, describe_element(first[at]),
                         describe_element(second[at]));
    }));
  }
}

TEST(FlushedSubnormals, of_xla_stay_in_xla) {
  TOPOS_REQUIRE_ENGINE(Engine::xla);
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>({2}, {1e-30f, 1e-40f}));
  const auto y = x * Tensor<float>({2}, {1e-10f, 1.0f});
  const Symbol result = y.symbol();
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({result}).lower();
  const Tensor<float> before = plan.forward(network.parameters(), {}).of(result);
  EXPECT_EQ(bits_of(before.elements()[0]), 71362u) << "1e-40, which is subnormal";
  evaluate_abroad(Engine::xla, plan, network.parameters(), {});
  EXPECT_TRUE(equal_bits(plan.forward(network.parameters(), {}).of(result), before))
      << "the processor's flush bit is set for other threads only while XLA runs";
}

}  // namespace
}  // namespace topos::testing
