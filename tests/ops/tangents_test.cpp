// Forward mode of every operation of OpList, held to reverse mode, to differences and to itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/finite_differences.hpp"
#include "support/op_cases.hpp"
#include "support/tangents.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

template <class E>
Tensor<E> narrowed(const Tensor<double>& tensor) {
  std::vector<E> elements;
  for (const double element : tensor.elements()) elements.push_back(static_cast<E>(element));
  return Tensor<E>(tensor.shape(), std::move(elements));
}

/// One application with weights of its value's shape and a tangent for each operand. Its tangent, its
/// gradients by the weights, and the Hessian of <weights, value> times the tangents, forward over reverse and
/// reverse over reverse.
template <class E>
struct Recording {
  Network<E> network;
  Symbols operands;
  Symbols tangents;
  Symbol value;
  Symbol weights;
  Symbol product;
  Symbols placeholders;  ///< of the forward mode
  Adjoints gradients;
  Symbols curved;
  Adjoints curved_reverse;

  Entry<E> entry() const {
    Symbols results{value, weights, product};
    const auto add = [&](const Symbols& more) { results.insert(results.end(), more.begin(), more.end()); };
    add(tangents);
    add(gradients.roots());
    add(curved);
    add(curved_reverse.roots());
    return network.entry(results);
  }
};

template <class E>
Recording<E> record(const Operation& operation, const std::vector<Tensor<E>>& operands) {
  Tape<E> tape;
  std::vector<Value<E>> values;
  Tangents<E> along;
  for (const Tensor<E>& operand : operands) {
    values.push_back(tape.parameter(operand));
    const auto seed = static_cast<std::uint32_t>(40 + values.size());
    along.push_back({values.back(), tape.leaf(scattered<E>(operand.shape(), seed))});
  }
  Symbols symbols;
  Symbols tangents;
  for (const auto& [variable, tangent] : along) {
    symbols.push_back(variable);
    tangents.push_back(tangent);
  }
  const Value<E> value = Value<E>::apply(operation, values, Where::current());
  const Value<E> weights = value.leaf(scattered<E>(value.shape(), 77));
  Symbols placeholders{Symbol(value.symbol().origin(), static_cast<NodeIndex>(tape.size()))};
  const Value<E> product = tape.jvp(value, along);
  const Adjoints gradients = tape.vjp(value, weights, symbols);
  Symbols targets;
  for (const Adjoints::Pair& pair : gradients.pairs()) {
    targets.push_back(pair.gradient);
    placeholders.push_back(
        Symbol(value.symbol().origin(), static_cast<NodeIndex>(tape.size() + placeholders.size() - 1)));
  }
  Symbols curved;
  for (const Value<E>& one : tape.jvp(targets, along)) curved.push_back(one);
  Value<E> slope = tape.leaf(Tensor<E>(E(0)));
  for (std::size_t i = 0; i < along.size(); ++i) {
    const Value<E> gradient = tape.resolve(gradients.pairs()[i].gradient);
    slope = slope + sum(gradient * along[i].tangent);
  }
  const Adjoints curved_reverse = tape.differentiate(slope, symbols);
  return {std::move(tape).seal(),  symbols,   tangents, value,         weights, product,
          std::move(placeholders), gradients, curved,   curved_reverse};
}

class TangentTest : public ::testing::TestWithParam<OpCases> {};

/// The engine's bits over the operands of every value case.
template <class E>
void check_bits(const std::vector<ValueCase<E>>& cases) {
  for (const ValueCase<E>& one : cases) {
    if (one.operation.is_source()) continue;
    SCOPED_TRACE(title(one.operation, one.operands));
    const Recording<E> recording = record(one.operation, one.operands);
    const Parameters<E> parameters = recording.network.parameters();
    const Entry<E> entry = recording.entry();
    const Run<E> interpreted = entry.interpret(parameters);
    const Run<E> planned = entry.lower().forward(parameters);
    for (const Symbol& result : entry.roots()) {
      EXPECT_TRUE(equal_bits(planned.of(result), interpreted.of(result))) << "node " << result.index();
    }
  }
}

TEST_P(TangentTest, HasTheInterpretersBitsInThePlanInF32) { check_bits(GetParam().f32); }
TEST_P(TangentTest, HasTheInterpretersBitsInThePlanInF64) { check_bits(GetParam().f64); }

/// Products of up to a hundred terms of order 1, each rounded a few times on each way.
constexpr double roundings = 32;

template <class E>
void check_transposes(const std::vector<DerivativeCase>& cases) {
  for (const DerivativeCase& one : cases) {
    SCOPED_TRACE(title(one.operation, one.at));
    std::vector<Tensor<E>> operands;
    for (const Tensor<double>& operand : one.at) operands.push_back(narrowed<E>(operand));
    const Recording<E> recording = record(one.operation, operands);
    const Run<E> run = recording.entry().lower().forward(recording.network.parameters());
    Pairing forward;
    forward.add(run.of(recording.weights), run.of(recording.product));
    Pairing reverse;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      reverse.add(run.of(recording.gradients.of(recording.operands[i])), run.of(recording.tangents[i]));
    }
    EXPECT_TRUE(agree<E>(forward, reverse, roundings));
    // A Hessian is its own transpose: both ways to multiply it give the same vector.
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Elements<E> one_way = run.of(recording.curved[i]).elements();
      const Elements<E> other = run.of(recording.curved_reverse.of(recording.operands[i])).elements();
      ASSERT_EQ(one_way.size(), other.size());
      for (std::size_t e = 0; e < other.size(); ++e) {
        const double bound = roundings * static_cast<double>(std::numeric_limits<E>::epsilon()) *
                             (1.0 + std::fabs(static_cast<double>(other[e])));
        EXPECT_NEAR(static_cast<double>(one_way[e]), static_cast<double>(other[e]), bound)
            << "second derivative, operand " << i << ", element " << e;
      }
    }
  }
}

TEST_P(TangentTest, PairsWithWeightsAsTheGradientPairsWithTangentsInF32) {
  check_transposes<float>(GetParam().derivatives);
}
TEST_P(TangentTest, PairsWithWeightsAsTheGradientPairsWithTangentsInF64) {
  check_transposes<double>(GetParam().derivatives);
}

TEST_P(TangentTest, IsThatOfCentralDifferences) {
  for (const DerivativeCase& one : GetParam().derivatives) {
    SCOPED_TRACE(title(one.operation, one.at));
    const Recording<double> recording = record(one.operation, one.at);
    const Plan<double> plan = recording.entry().lower();
    const Parameters<double> start = recording.network.parameters();
    const auto run = plan.forward(start);
    // The operands moved by h along their tangents, those apart that are data.
    const auto moved = [&](double h) {
      Parameters<double> at = start;
      for (std::size_t i = 0; i < one.at.size(); ++i) {
        if (std::find(one.data.begin(), one.data.end(), i) != one.data.end()) continue;
        const Tensor<double>& tangent = run.of(recording.tangents[i]);
        at = at.with(recording.operands[i], one.at[i] + tangent * Tensor<double>::filled(tangent.shape(), h));
      }
      return plan.forward(at);
    };
    constexpr double step = 6e-6;  // as central_differences has it
    const auto above = moved(step);
    const auto below = moved(-step);
    const auto differences_of = [&](const Symbol& value) {
      const Tensor<double> difference = above.of(value) - below.of(value);
      return difference / Tensor<double>::filled(difference.shape(), 2.0 * step);
    };
    EXPECT_TRUE(near_differences(run.of(recording.product), differences_of(recording.value)));
    for (std::size_t i = 0; i < one.at.size(); ++i) {
      const Symbol gradient = recording.gradients.of(recording.operands[i]);
      EXPECT_TRUE(near_differences(run.of(recording.curved[i]), differences_of(gradient)))
          << "second derivative, operand " << i;
    }
  }
}

TEST_P(TangentTest, NeverReadsThePlaceholder) {
  for (const DerivativeCase& one : GetParam().derivatives) {
    SCOPED_TRACE(title(one.operation, one.at));
    const Recording<double> recording = record(one.operation, one.at);
    const Plan<double> plan = recording.entry().lower();
    for (const Symbol& placeholder : recording.placeholders) {
      const Node& node = recording.network.graph()[placeholder.index()];
      ASSERT_TRUE(node.operation.is<Leaf>()) << recording.network.describe();
      for (const NodeIndex index : plan.schedule().wanted()) {
        for (const NodeIndex operand : plan.graph()[index].operand_indices()) {
          EXPECT_NE(operand, placeholder.index()) << "node " << index << "\n" << plan.describe();
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OpList, TangentTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace topos::testing
