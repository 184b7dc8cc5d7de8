// Derivatives of whole programs: values, requests and refusals.
#include <gtest/gtest.h>

#include "support/finite_differences.hpp"
#include "support/golden_blocks.hpp"
#include "support/op_cases.hpp"
#include "support/refusal.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::refusal;

using D = Tensor<double>;
using testing::equal_bits;
using testing::near_differences;
using testing::scattered;

TEST(Hessian, TimesAVectorIsTheGradientDifferentiatedWithThatSeed) {
  const D point({3}, {0.5, -0.25, 1.5});
  Tape<double> tape;
  const auto x = tape.parameter(point);
  const auto loss = sum(x * x * x);
  const Adjoints first = tape.differentiate(loss, {x});
  const std::size_t second_starts = tape.size();
  const Adjoints second = tape.vjp(first.of(x), tape.leaf(D({3}, {0.25, 1, -0.5})), {x});
  const Network<double> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ("x " + describe(point) + "\ngradient " + describe(run.of(first.of(x))) + "\nHv " +
                describe(run.of(second.of(x))) + "\nsecond starts at " + std::to_string(second_starts) +
                "\n" + network.describe(),
            testing::golden_text("describe/diff_hessian.txt"));
}

TEST(Vjp, PullsASeedBackThroughTheJacobian) {
  const D point({3}, {0.5, -0.25, 1.5});
  const D seed({3}, {1, 0, 0});
  Tape<double> tape;
  const auto x = tape.parameter(point);
  const auto cube = x * x * x;
  const Adjoints adjoints = tape.vjp(cube, tape.leaf(seed), {x});
  const Network<double> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ("x           = " + describe(point) + "\nx^3         = " + describe(run.of(cube)) +
                "\nseed        = " + describe(seed) + "\nJ^T seed    = " + describe(run.of(adjoints.of(x))) +
                "\n" + network.describe(),
            testing::golden_text("describe/diff_vjp.txt"));
}

TEST(Requests, ThatDoNotInfluenceTheLossGetZeros) {
  Tape<double> tape;
  const auto a = tape.parameter(D({2}, {3, 4}));
  const auto other = tape.parameter(D({3}, {1, 2, 3}));
  const auto loss = sum(a * a);
  const auto later = tape.parameter(D({2, 2}, {1, 2, 3, 4}));
  const auto computed_later = later * later;
  const Adjoints adjoints = tape.differentiate(loss, {other, later, computed_later, loss, a, a});
  EXPECT_EQ(adjoints.target(), loss.symbol());
  EXPECT_EQ(adjoints.pairs().size(), 6u);
  EXPECT_EQ(adjoints.roots().size(), 7u);
  EXPECT_EQ(adjoints.pairs()[4].gradient, adjoints.pairs()[5].gradient);
  const Network<double> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ(describe(run.of(adjoints.of(other))), "[0, 0, 0]");
  EXPECT_EQ(describe(run.of(adjoints.of(later))), "[[0, 0], [0, 0]]");
  EXPECT_EQ(describe(run.of(adjoints.of(computed_later))), "[[0, 0], [0, 0]]");
  EXPECT_EQ(describe(run.of(adjoints.of(loss))), "1");
  EXPECT_EQ(describe(run.of(adjoints.of(a))), "[6, 8]");
  // The engine's scan answers the same, also for what was not requested.
  const Gradients<double> scanned = run.backward(loss);
  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    EXPECT_TRUE(equal_bits(scanned.of(pair.with_respect_to), run.of(pair.gradient)));
  }
  EXPECT_EQ(describe(scanned.parameters().of(a)), "[6, 8]");
  EXPECT_EQ(describe(run.gradients(Adjoints(loss, {{a, adjoints.of(a)}})).of(other)), "[0, 0, 0]");
}

TEST(Requests, CanNameInteriorValuesAndInputs) {
  Tape<double> tape;
  const auto w = tape.parameter(D({2}, {3, 4}));
  const auto x = tape.input(D({2}, {5, 6}));
  const auto product = w * x;
  const auto loss = sum(product * product);
  const Adjoints adjoints = tape.differentiate(loss, {product, x});
  const Network<double> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ(describe(run.of(adjoints.of(product))), "[30, 48]");
  EXPECT_EQ(describe(run.of(adjoints.of(x))), "[90, 192]");
  EXPECT_NE(refusal([&] { run.gradients(adjoints); }).find("collects parameters' gradients; node 2 is a Mul"),
            std::string::npos);
}

TEST(Requests, WithoutAnyRecordTheScanAllTheSame) {
  Tape<double> tape;
  const auto a = tape.parameter(D({2}, {3, 4}));
  const Adjoints adjoints = tape.differentiate(sum(a * a), {});
  EXPECT_TRUE(adjoints.pairs().empty());
  EXPECT_EQ(adjoints.roots().size(), 1u);
  EXPECT_NE(refusal([&] { adjoints.of(a); }).find("no gradient with respect to node 0"), std::string::npos);
}

TEST(Requests, DoNotDifferentiateThroughData) {
  // sqrt(0) has an infinite slope, which a step must not reach: absent is not zero times infinity.
  Tape<double> tape;
  const auto x = tape.parameter(D({1}, {0}));
  const auto gate = step(sqrt(x), tape.leaf(D({1}, {0})));
  const Adjoints adjoints = tape.differentiate(sum(gate * x), {x});
  const Network<double> network = std::move(tape).seal();
  EXPECT_EQ(describe(network.forward(network.parameters(), {}).of(adjoints.of(x))), "[1]");
}

TEST(Refusals, OfATargetThatIsNoScalarOrASeedOfAnotherShapeRecordNothing) {
  Tape<double> tape;
  const auto a = tape.parameter(D({2}, {3, 4}));
  const auto loss = sum(a);
  const auto seed = tape.leaf(D({3}, {1, 1, 1}));
  const std::size_t size = tape.size();
  const std::string message = refusal([&] { tape.differentiate(a, {a}); });
  EXPECT_NE(message.find("only a value of rank 0 has a gradient; node 0 has shape [2]: reduce it with sum"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("derivative_test.cpp:"), std::string::npos) << message;
  // One element is not enough: the rank has to be 0.
  const auto single = tape.leaf(D({1}, {2}));
  EXPECT_NE(refusal([&] { tape.differentiate(single, {a}); }).find("node 3 has shape [1]"),
            std::string::npos);
  const std::string wrong_seed = refusal([&] { tape.vjp(a, seed, {a}); });
  EXPECT_NE(wrong_seed.find("the seed must have the target's shape [2]; got [3]"), std::string::npos)
      << wrong_seed;
  EXPECT_NE(wrong_seed.find("derivative_test.cpp:"), std::string::npos) << wrong_seed;
  EXPECT_NE(refusal([&] { tape.differentiate(loss, {Symbol(loss.symbol().origin(), 99)}); }).find("node 99"),
            std::string::npos);
  EXPECT_EQ(tape.size(), size + 1);
  const Network<double> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_NE(refusal([&] { run.backward(a); }).find("node 0 has shape [2]"), std::string::npos);
}

/// The gradient of a whole program against central differences, and against the engine's scan.
template <class Program>
void expect_gradients(const std::vector<D>& points, Program program) {
  Tape<double> tape;
  std::vector<Value<double>> values;
  for (const D& point : points) values.push_back(tape.parameter(point));
  const Value<double> loss = program(tape, values);
  const Symbols symbols(values.begin(), values.end());
  const Adjoints adjoints = tape.differentiate(loss, symbols);
  const Network<double> network = std::move(tape).seal();
  const Parameters<double> parameters = network.parameters();
  const auto run = network.forward(parameters, {});
  const Gradients<double> scanned = run.backward(loss);
  const Plan<double> forward = network.entry({loss}).lower();
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_TRUE(equal_bits(scanned.of(symbols[i]), run.of(adjoints.of(symbols[i]))));
    EXPECT_TRUE(
        near_differences(run.of(adjoints.of(symbols[i])),
                         testing::central_differences(
                             [&](const D& moved) {
                               return forward.forward(parameters.with(symbols[i], moved), {}).of(loss).item();
                             },
                             points[i])))
        << "parameter " << i;
  }
}

TEST(Programs, HaveTheGradientsOfCentralDifferences) {
  const D image = scattered<double>(Shape({2, 2, 7, 6}), 3);
  expect_gradients({image, scattered<double>(Shape({3, 2, 3, 2}), 4), scattered<double>(Shape({3}), 5)},
                   [](auto&, const auto& in) {
                     const auto maps = gelu(conv2d(in[0], in[1], in[2], 2, 1, 2));
                     return sum(maps * maps);
                   });
  expect_gradients({image}, [](auto&, const auto& in) {
    const auto pooled = max_pool(in[0], 2, 2);
    return sum(pooled * tanh(pooled));
  });
  expect_gradients({scattered<double>(Shape({4, 3}), 6), scattered<double>(Shape({4, 3}), 7)},
                   [](auto&, const auto& in) { return cross_entropy(in[0], in[1] * in[1]); });
  expect_gradients({scattered<double>(Shape({4, 3}), 1), scattered<double>(Shape({4, 3}), 2),
                    scattered<double>(Shape({4, 2}), 3)},
                   [](auto& tape, const auto& in) {
                     const auto mask = tape.leaf(causal_mask<double>(4));
                     const auto scale = tape.leaf(D(0.5));
                     return sum(tanh(scaled_dot_product(in[0], in[1], in[2], mask, scale)));
                   });
  expect_gradients({scattered<double>(Shape({9}), 8)}, [](auto&, const auto& in) {
    const auto x = in[0];
    const auto bent = softplus(x) + abs(x);
    return sum(bent * softmax(x, 0));
  });
}

TEST(Programs, AMaxPoolSendsTheGradientOfATieToTheFirstOfItsWindow) {
  Tape<float> tape;
  const auto x = tape.parameter(Tensor<float>({1, 1, 2, 4}, {5, 5, 1, 2, 5, 5, 2, 2}));
  const Adjoints adjoints = tape.differentiate(sum(max_pool(x, 2, 2)), {x});
  const Network<float> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ(describe(run.of(adjoints.of(x))), "[[[[1, 0, 0, 1], [0, 0, 0, 0]]]]");
}

}  // namespace
}  // namespace topos
