// Forward mode of whole programs: values, special points, second derivatives and refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_differences.hpp"
#include "support/golden.hpp"
#include "support/op_cases.hpp"
#include "support/random_graph.hpp"
#include "support/refusal.hpp"
#include "support/tangents.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/composites/normalization.hpp"
#include "topos/composites/pooling.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::refusal;

using D = Tensor<double>;
using testing::equal_bits;
using testing::near_differences;
using testing::scattered;

/// The values of symbols, as a plan gives them; the interpreter's must be the same.
template <class E>
std::vector<Tensor<E>> computed(const Network<E>& network, const Symbols& symbols) {
  const Entry<E> entry = network.entry(symbols);
  const Run<E> planned = entry.lower().forward(network.parameters());
  const Run<E> interpreted = entry.interpret(network.parameters());
  std::vector<Tensor<E>> values;
  for (const Symbol& symbol : symbols) {
    values.push_back(planned.of(symbol));
    EXPECT_TRUE(equal_bits(planned.of(symbol), interpreted.of(symbol))) << "node " << symbol.index();
  }
  return values;
}

template <class E>
Tensor<E> computed(Tape<E>&& tape, const Symbol& symbol) {
  return computed(std::move(tape).seal(), Symbols{symbol})[0];
}

TEST(Jvp, MovesEachVariableAlongItsTangent) {
  Tape<double> tape;
  const auto x = tape.parameter(D(3.0));
  const auto y = tape.parameter(D(5.0));
  const auto product = x * y;
  const Tangent<double> right{.variable = x, .tangent = tape.leaf(D(1.0))};
  const Tangent<double> up{.variable = y, .tangent = tape.leaf(D(10.0))};
  const auto slope = tape.jvp(product, {right, up});
  EXPECT_EQ(right.variable, x.symbol());
  EXPECT_EQ(computed(std::move(tape), slope).item(), 5.0 + 3.0 * 10.0);
}

TEST(Jvp, MovesAValueAlongATangent) {
  Tape<double> tape;
  const auto x = tape.parameter(D({3}, {0.5, -0.25, 1.5}));
  const auto direction = tape.leaf(D({3}, {1, 2, -1}));
  const auto product = tape.jvp(x * x * x, {{x, direction}});
  EXPECT_EQ(describe(computed(std::move(tape), product)), "[0.75, 0.375, -6.75]");  // 3 x^2 t
}

TEST(Jvp, AddsWhatEachVariableBrings) {
  Tape<double> tape;
  const auto a = tape.parameter(D({2, 2}, {1, 2, 3, 4}));
  const auto b = tape.input(D({2, 1}, {5, 6}));
  const auto da = tape.leaf(D({2, 2}, {1, 0, 0, -1}));
  const auto db = tape.leaf(D({2, 1}, {1, 1}));
  const auto product = matmul(a, b);
  const Symbols results{tape.jvp(product, {{a, da}}), tape.jvp(product, {{b, db}}),
                        tape.jvp(product, {{a, da}, {b, db}})};
  const std::vector<D> values = computed(std::move(tape).seal(), results);
  EXPECT_EQ(describe(values[0]), "[[5], [-6]]");
  EXPECT_EQ(describe(values[1]), "[[3], [7]]");
  EXPECT_EQ(describe(values[2]), "[[8], [1]]");
}

TEST(Jvp, TakesAnyValueAsAVariable) {
  Tape<double> tape;
  const auto x = tape.leaf(D({2}, {3, 4}));
  const auto square = x * x;
  const auto loss = sum(square * square);
  const auto one = tape.leaf(D({2}, {1, 1}));
  // The interior value moves with x and by itself: 2 x^2 (2 x) and 2 x^2.
  const Symbols results{tape.jvp(loss, {{square, one}}), tape.jvp(loss, {{x, one}}),
                        tape.jvp(loss, {{x, one}, {square, one}})};
  const std::vector<D> values = computed(std::move(tape).seal(), results);
  EXPECT_EQ(describe(values[0]), "50");
  EXPECT_EQ(describe(values[1]), "364");
  EXPECT_EQ(describe(values[2]), "414");
}

TEST(Jvp, OfAVariableItselfIsItsTangent) {
  Tape<double> tape;
  const auto x = tape.parameter(D({2}, {3, 4}));
  const auto direction = tape.leaf(D({2}, {1, -1}));
  EXPECT_EQ(tape.jvp(x, {{x, direction}}).symbol(), direction.symbol());
}

TEST(Jvp, OfWhatNoVariableInfluencesIsZeros) {
  Tape<double> tape;
  const auto x = tape.parameter(D({2}, {3, 4}));
  const auto other = tape.parameter(D({3}, {1, 2, 3}));
  const auto direction = tape.leaf(D({2}, {1, -1}));
  const auto gate = step(x, other.constant({2}, 3.5));  // data: a step moves nothing
  const std::vector<Value<double>> products = tape.jvp({other * other, gate}, {{x, direction}});
  const auto along_nothing = tape.jvp(x * x, {});
  const Symbols results{products[0], products[1], along_nothing};
  const std::vector<D> values = computed(std::move(tape).seal(), results);
  EXPECT_EQ(describe(values[0]), "[0, 0, 0]");
  EXPECT_EQ(describe(values[1]), "[0, 0]");
  EXPECT_EQ(describe(values[2]), "[0, 0]");
}

TEST(Jvp, OfSeveralTargetsIsThatOfEach) {
  Tape<float> tape;
  const auto x = tape.parameter(scattered<float>(Shape({4, 3}), 1));
  const auto direction = tape.leaf(scattered<float>(Shape({4, 3}), 2));
  const auto hidden = tanh(x);
  const auto loss = sum(hidden * hidden);
  const std::vector<Value<float>> together = tape.jvp({loss, hidden, hidden}, {{x, direction}});
  const Symbols results{together[0], together[1], together[2], tape.jvp(loss, {{x, direction}}),
                        tape.jvp(hidden, {{x, direction}})};
  const Network<float> network = std::move(tape).seal();
  const std::vector<Tensor<float>> values = computed(network, results);
  EXPECT_TRUE(equal_bits(values[0], values[3]));
  EXPECT_TRUE(equal_bits(values[1], values[4]));
  EXPECT_TRUE(equal_bits(values[2], values[4]));
  // The loss moves by way of the hidden layer, whose tangent is computed once.
  const Schedule all(network.graph(), {results[0], results[1]}, {}, Memory::forward);
  const Schedule one(network.graph(), {results[0]}, {}, Memory::forward);
  EXPECT_EQ(all.wanted().size(), one.wanted().size());
}

TEST(Jvp, PlansNoMoreThanARuleForEachOperationWould) {
  // tanh: out out, 1 - that, the product with the tangent. A product: two, and their sum.
  Tape<float> tape;
  const auto x = tape.parameter(scattered<float>(Shape({4}), 1));
  const auto direction = tape.input(scattered<float>(Shape({4}), 2));
  const auto y = tanh(x) * x;
  const auto product = tape.jvp(y, {{x, direction}});
  const Network<float> network = std::move(tape).seal();
  const Schedule schedule(network.graph(), {y, product}, {}, Memory::forward);
  EXPECT_EQ(schedule.wanted().size(), 4u + 4u + 3u) << network.describe();
}

TEST(Jvp, IsEmittedWithoutATraceOfThePlaceholder) {
  Tape<float> tape;
  const auto weights = tape.parameter(Tensor<float>::filled({3, 2}, 0.0f));
  const auto input = tape.input(Tensor<float>::filled({4, 3}, 0.0f));
  const auto direction = tape.input(Tensor<float>::filled({3, 2}, 0.0f));
  const auto hidden = tanh(matmul(input, weights));
  const auto loss = sum(hidden * hidden);
  const Symbols results{loss, tape.jvp(loss, {{weights, direction}})};
  testing::expect_own_golden("stablehlo/own/jvp.mlir",
                             emit_stablehlo(std::move(tape).seal().entry(results).lower()));
}

/// The derivative of function at x by jvp, and by vjp, with a tangent and a seed of one.
template <class Function>
std::string slopes(const std::vector<double>& points, Function function) {
  const Shape shape({static_cast<Extent>(points.size())});
  Tape<double> tape;
  const auto x = tape.parameter(D(shape, points));
  const auto ones = x.constant(shape, 1.0);
  const auto y = function(x);
  const Symbols results{tape.jvp(y, {{x, ones}}), tape.vjp(y, ones, {x}).of(x)};
  const std::vector<D> values = computed(std::move(tape).seal(), results);
  EXPECT_TRUE(equal_bits(values[0], values[1]));
  return describe(values[0]);
}

TEST(SpecialPoints, AreThoseOfTheGradient) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(slopes({0, -0.0, 1, -1}, [](const auto& x) { return relu(x); }), "[0, 0, 1, 0]");
  EXPECT_EQ(slopes({0, 1, -1}, [](const auto& x) { return abs(x); }), "[-1, 1, -1]");
  EXPECT_EQ(slopes({0, 2}, [](const auto& x) { return maximum(x, x); }), "[1, 1]");
  EXPECT_EQ(slopes({0}, [](const auto& x) { return softplus(x); }), "[0.5]");
  EXPECT_EQ(slopes({0, 4}, [](const auto& x) { return sqrt(x); }), "[inf, 0.25]");
  EXPECT_EQ(slopes({0, -2}, [](const auto& x) { return pow(x, x.constant(x.shape(), 0.0)); }), "[0, 0]");
  EXPECT_EQ(slopes({0, -2}, [](const auto& x) { return pow(x, x.constant(x.shape(), 2.0)); }), "[0, -4]");
  EXPECT_EQ(slopes({0, 2}, [](const auto& x) { return pow(x.constant(x.shape(), 0.0), x); }), "[0, 0]");
  EXPECT_EQ(
      slopes({-infinity, -infinity}, [](const auto& x) { return broadcast(logsumexp(x, 0), x.shape()); }),
      "[0, 0]");
  // An infinite slope does not reach through data.
  EXPECT_EQ(slopes({0}, [](const auto& x) { return step(sqrt(x), x.constant(x.shape(), 0.0)) * x; }), "[1]");
}

/// A program of tensors `at`: <w, Jt> = <J'w, t>, in E.
template <class E, class Program>
void expect_transposes(const std::vector<Shape>& shapes, Program program) {
  Tape<E> tape;
  std::vector<Value<E>> values;
  Tangents<E> along;
  for (const Shape& shape : shapes) {
    const auto seed = static_cast<std::uint32_t>(values.size());
    values.push_back(tape.parameter(scattered<E>(shape, 3 + seed)));
    along.push_back({values.back(), tape.leaf(scattered<E>(shape, 30 + seed))});
  }
  const Symbols symbols(values.begin(), values.end());
  const Value<E> result = program(tape, values);
  const Value<E> weights = tape.leaf(scattered<E>(result.shape(), 77));
  const Adjoints adjoints = tape.vjp(result, weights, symbols);
  Symbols results{weights, tape.jvp(result, along)};
  for (std::size_t i = 0; i < along.size(); ++i) {
    results.push_back(adjoints.of(symbols[i]));
    results.push_back(along[i].tangent);
  }
  const std::vector<Tensor<E>> found = computed(std::move(tape).seal(), results);
  testing::Pairing forward;
  forward.add(found[0], found[1]);
  testing::Pairing reverse;
  for (std::size_t i = 2; i < found.size(); i += 2) reverse.add(found[i], found[i + 1]);
  // Some ten operations deep, sums of some hundred terms of order 1.
  EXPECT_TRUE(testing::agree<E>(forward, reverse, 64));
}

template <class E>
class JvpPrograms : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(JvpPrograms, ElementTypes);

TYPED_TEST(JvpPrograms, PairWithWeightsAsTheirGradientsPairWithTangents) {
  using E = TypeParam;
  expect_transposes<E>({{2, 2, 7, 6}, {3, 2, 3, 2}, {3}}, [](auto&, const auto& in) {
    return max_pool(gelu(conv2d(in[0], in[1], in[2], 1, 1, 2)), 2, 2);
  });
  expect_transposes<E>({{4, 3}, {4, 3}, {4, 2}}, [](auto& tape, const auto& in) {
    const auto mask = tape.leaf(causal_mask<E>(4));
    const auto scale = tape.leaf(Tensor<E>(E(0.5)));
    return scaled_dot_product(in[0], in[1], in[2], mask, scale);
  });
  expect_transposes<E>({{4, 3}, {4, 3}},
                       [](auto&, const auto& in) { return cross_entropy(in[0], in[1] * in[1]); });
}

/// A small network with a loss.
template <class E>
Value<E> network_loss(const std::vector<Value<E>>& in) {
  const auto hidden = tanh(matmul(in[0], in[1]));
  const auto logits = matmul(hidden, in[2]);
  return cross_entropy(logits, in[3]);
}

template <class E>
void expect_hessian_products() {
  Tape<E> tape;
  std::vector<Value<E>> values;
  Tangents<E> along;
  const std::vector<Shape> shapes{{5, 3}, {3, 4}, {4, 2}, {5, 2}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto seed = static_cast<std::uint32_t>(i);
    values.push_back(tape.parameter(scattered<E>(shapes[i], 3 + seed)));
    if (i == 3) values[3] = values[3] * values[3];
    if (i < 3) along.push_back({values[i], tape.leaf(scattered<E>(shapes[i], 30 + seed))});
  }
  const Value<E> loss = network_loss(values);
  Symbols symbols;
  for (const auto& [variable, tangent] : along) symbols.push_back(variable);
  const Adjoints gradient = tape.differentiate(loss, symbols);
  Symbols gradients;
  Value<E> slope = tape.leaf(Tensor<E>(E(0)));
  for (const auto& [variable, tangent] : along) {
    gradients.push_back(gradient.of(variable));
    slope = slope + sum(tape.resolve(gradients.back()) * tangent);
  }
  const std::vector<Value<E>> forward_over_reverse = tape.jvp(gradients, along);
  const Adjoints reverse_over_reverse = tape.differentiate(slope, symbols);
  // Reverse over forward: the gradient of the loss's derivative along the tangents.
  const Adjoints reverse_over_forward = tape.differentiate(tape.jvp(loss, along), symbols);
  const Value<E> second = tape.jvp(tape.jvp(loss, along), along);

  Symbols results(forward_over_reverse.begin(), forward_over_reverse.end());
  for (const Adjoints* adjoints : {&reverse_over_reverse, &reverse_over_forward}) {
    for (const Symbol& symbol : symbols) results.push_back(adjoints->of(symbol));
  }
  results.push_back(second);
  for (const auto& [variable, tangent] : along) results.push_back(tangent);
  results.insert(results.end(), gradients.begin(), gradients.end());
  const Network<E> network = std::move(tape).seal();
  const std::vector<Tensor<E>> found = computed(network, results);
  testing::Pairing curvature;
  for (std::size_t i = 0; i < 3; ++i) {
    const Elements<E> product = found[i].elements();
    for (const std::size_t other : {i + 3, i + 6}) {
      const Elements<E> expected = found[other].elements();
      for (std::size_t e = 0; e < product.size(); ++e) {
        // A dozen sums of a dozen terms of order 1, each rounded.
        EXPECT_NEAR(static_cast<double>(product[e]), static_cast<double>(expected[e]),
                    200 * static_cast<double>(std::numeric_limits<E>::epsilon()))
            << "variable " << i << ", element " << e;
      }
    }
    curvature.add(found[i], found[10 + i]);
  }
  testing::Pairing twice;
  twice.add(found[9], Tensor<E>(E(1)));
  EXPECT_TRUE(testing::agree<E>(twice, curvature, 64));

  if constexpr (std::is_same_v<E, double>) {
    const Plan<E> plan = network.entry(gradients).lower();
    const auto moved = [&](double h) {
      Parameters<E> at = network.parameters();
      for (std::size_t i = 0; i < 3; ++i) {
        const D& tangent = found[10 + i];
        at = at.with(symbols[i], at.of(symbols[i]) + tangent * D::filled(tangent.shape(), h));
      }
      return plan.forward(at);
    };
    const auto above = moved(6e-6);
    const auto below = moved(-6e-6);
    for (std::size_t i = 0; i < 3; ++i) {
      const D difference = above.of(gradients[i]) - below.of(gradients[i]);
      EXPECT_TRUE(near_differences(found[i], difference / D::filled(difference.shape(), 12e-6)));
    }
  }
}

TEST(Hessian, TimesAVectorIsTheSameForwardOverReverseAndEveryOtherWay) {
  expect_hessian_products<float>();
  expect_hessian_products<double>();
}

template <class E>
class JvpOfRandomGraphs : public ::testing::Test {};
TYPED_TEST_SUITE(JvpOfRandomGraphs, ElementTypes);

TYPED_TEST(JvpOfRandomGraphs, HasTheInterpretersBitsAndTheGradientsPairing) {
  using E = TypeParam;
  for (std::uint64_t seed = 0; seed < 300 && !this->HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::RandomGraph<E> graph = testing::random_graph<E>(seed, testing::suite_options(seed));
    const Adjoints& adjoints = graph.adjoints;
    Tape<E> tape = std::move(graph.network).reopen();
    Tangents<E> along;
    Symbols results = adjoints.roots();
    for (const Adjoints::Pair& pair : adjoints.pairs()) {
      const Value<E> variable = tape.resolve(pair.with_respect_to);
      const auto draw = static_cast<std::uint32_t>(seed * 16 + along.size());
      along.push_back({variable, tape.leaf(scattered<E>(variable.shape(), draw))});
      results.push_back(along.back().tangent);
    }
    const std::size_t placeholder = tape.size();
    const Symbol product = tape.jvp(graph.loss, along);
    results.push_back(product);
    Symbols targets = graph.observed;
    for (const Adjoints::Pair& pair : adjoints.pairs()) targets.push_back(pair.gradient);
    for (const Value<E>& more : tape.jvp(targets, along)) results.push_back(more);
    const Network<E> network = std::move(tape).seal();

    const Entry<E> entry = network.entry(results);
    const Plan<E> plan = entry.lower();
    const Run<E> planned = plan.forward(network.parameters(), graph.feeds);
    const Run<E> interpreted = entry.interpret(network.parameters(), graph.feeds);
    for (const Symbol& result : results) {
      EXPECT_TRUE(equal_bits(planned.of(result), interpreted.of(result))) << "node " << result.index();
    }
    EXPECT_TRUE(product.index() == placeholder ||
                !plan.schedule().is_wanted(static_cast<NodeIndex>(placeholder)));
    testing::Pairing forward;
    forward.add(planned.of(product), Tensor<E>(E(1)));
    testing::Pairing reverse;
    for (const auto& [variable, tangent] : along) {
      reverse.add(planned.of(adjoints.of(variable)), planned.of(tangent));
    }
    if (!std::isfinite(reverse.magnitude)) continue;
    // Up to 200 operations deep, and what cancels on the way is not in the magnitudes.
    EXPECT_TRUE(testing::agree<E>(forward, reverse, 1000));
  }
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST(Refusals, OfAJvpRecordNothing) {
  Tape<float> tape;
  Tape<float> other;
  const auto x = tape.parameter(Tensor<float>({2}, {3, 4}));
  const auto y = x * x;
  const auto direction = tape.leaf(Tensor<float>({2}, {1, 1}));
  const auto long_direction = tape.leaf(Tensor<float>({3}, {1, 1, 1}));
  const auto foreign = other.leaf(Tensor<float>({2}, {1, 1}));
  const std::size_t size = tape.size();
  EXPECT_SAYS(refusal([&] { tape.jvp(foreign, {{x, direction}}); }), "belongs to another program");
  EXPECT_SAYS(refusal([&] { tape.jvp(y, {{foreign, direction}}); }), "belongs to another program");
  EXPECT_SAYS(refusal([&] { tape.jvp(Symbol(x.symbol().origin(), 99), {{x, direction}}); }), "node 99");
  const std::string tangent_elsewhere = refusal([&] { tape.jvp(y, {{x, foreign}}); });
  EXPECT_SAYS(tangent_elsewhere, "the tangent of node 0 belongs to another tape");
  EXPECT_SAYS(tangent_elsewhere, "jvp_test.cpp:");
  const std::string wrong_shape = refusal([&] { tape.jvp(y, {{x, long_direction}}); });
  EXPECT_SAYS(wrong_shape, "a tangent must have its variable's shape; node 0 has [2], got [3]");
  EXPECT_SAYS(wrong_shape, "jvp_test.cpp:");
  EXPECT_SAYS(refusal([&] { tape.jvp(y, {{x, direction}, {x, direction}}); }), "node 0 has two tangents");
  EXPECT_EQ(tape.size(), size);
  EXPECT_EQ(other.size(), 1u);
  const Network<float> sealed = std::move(other).seal();
  EXPECT_SAYS(refusal([&] { tape.jvp(y, {{x, foreign}}); }), "is stale: its tape was sealed");
  const Network<float> network = std::move(tape).seal();
  EXPECT_SAYS(refusal([&] { tape.jvp(y, {{x, direction}}); }), "this tape was sealed or moved from");
}

}  // namespace
}  // namespace topos
