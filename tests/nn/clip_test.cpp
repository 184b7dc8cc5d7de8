// Gradient clipping: both readings in bits, and its limits.
#include "topos/nn/clip.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "topos/nn/adam.hpp"
#include "topos/nn/initialize.hpp"

namespace topos {
namespace {

template <class E>
class Clipping : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Clipping, ElementTypes);

/// Two parameters, the second one first in the adjoints, whose gradients are fed.
template <class E>
struct Fed {
  Tape<E> tape;
  Value<E> first = tape.parameter(Uniform(1, 1.0).tensor<E>({40, 150}));
  Value<E> unasked = tape.parameter(Uniform(4, 1.0).tensor<E>({3}));
  Value<E> second = tape.parameter(Uniform(2, 1.0).tensor<E>({7}));
  Value<E> first_seed = tape.input(Tensor<E>::filled({40, 150}, E(0)));
  Value<E> second_seed = tape.input(Tensor<E>::filled({7}, E(0)));
  Value<E> loss = total();
  Adjoints adjoints = tape.differentiate(loss, {second, first});

  Value<E> total() {
    const Value<E> one = sum(first * first_seed);
    const Value<E> other = sum(second * second_seed);
    return one + other;
  }
};

/// clip(gradients) by hand and record(tape, adjoints), planned and interpreted, on feeds of several
/// magnitudes.
template <class E, class Clip, class Record>
void expect_one_clipping(Clip clip, Record record) {
  Fed<E> fed;
  const Symbol first = fed.first, second = fed.second, first_seed = fed.first_seed,
               second_seed = fed.second_seed;
  const Adjoints adjoints = fed.adjoints;
  const Adjoints clipped = record(fed.tape, adjoints);
  EXPECT_EQ(clipped.target(), adjoints.target());
  const Network<E> network = std::move(fed.tape).seal();
  const Parameters<E> parameters = network.parameters();
  const Plan<E> plan = network.entry(clipped.roots()).lower();
  for (const double scale : {0.0, 1e-30, 1e-3, 1.0, 1e3, 1e30, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const Feeds<E> feeds{{first_seed, Uniform(9, 1.0).tensor<E>({40, 150})},
                         {second_seed, Uniform(8, scale).tensor<E>({7})}};
    const Run<E> run = network.forward(parameters, feeds);
    const ParameterGradients<E> expected = clip(run.gradients(adjoints));
    for (const Run<E>& other : {run, plan.forward(parameters, feeds)}) {
      const ParameterGradients<E> actual = other.gradients(clipped);
      EXPECT_TRUE(same_bits(actual.of(first), expected.of(first))) << scale;
      EXPECT_TRUE(same_bits(actual.of(second), expected.of(second))) << scale;
    }
  }
}

TEST(GlobalNorm, IsOneNumberOfAllGradientsHeldOrRecorded) {
  Tape<float> tape;
  const auto a = tape.parameter(Tensor<float>(3.0f));
  const auto b = tape.parameter(Tensor<float>({2}, {0, 2}));
  const auto loss = a * a + sum(b * b) * 2.0f;
  const Adjoints adjoints = tape.differentiate(loss, {a, b});
  const auto norm = record_global_norm(tape, adjoints);
  Symbols roots = adjoints.roots();
  roots.push_back(norm);
  const Network<float> network = std::move(tape).seal();
  const auto run = network.entry(roots).lower().forward(network.parameters());
  EXPECT_EQ(run.of(norm).item(), 10.0f);  // gradients 6 and (0, 8)
  EXPECT_EQ(global_norm(run.gradients(adjoints)), 10.0f);
}

TYPED_TEST(Clipping, OfHeldAndOfRecordedGradientsHasTheSameBits) {
  using E = TypeParam;
  for (const E limit : {E(0.25), E(60), E(1e6)}) {
    expect_one_clipping<E>(
        [&](const auto& gradients) { return clip_by_norm(gradients, limit); },
        [&](auto& tape, const auto& adjoints) { return record_clip_by_norm(tape, adjoints, limit); });
    expect_one_clipping<E>(
        [&](const auto& gradients) { return clip_by_value(gradients, limit); },
        [&](auto& tape, const auto& adjoints) { return record_clip_by_value(tape, adjoints, limit); });
  }
}

/// Gradients that are their program's parameters.
template <class E>
Parameters<E> gradients(const std::vector<Tensor<E>>& tensors) {
  Tape<E> tape;
  for (const Tensor<E>& tensor : tensors) tape.parameter(tensor);
  return std::move(tape).seal().parameters();
}

TYPED_TEST(Clipping, SumsTheNormByParametersInRecordingOrder) {
  using E = TypeParam;
  std::vector<Tensor<E>> tensors;
  for (std::uint64_t i = 0; i < 9; ++i)
    tensors.push_back(Normal(i, std::pow(3.0, double(i % 4))).tensor<E>({5000}));
  Tensor<E> total(E(0));
  for (const Tensor<E>& tensor : tensors) total = total + sum(tensor * tensor);
  EXPECT_EQ(bits_of(global_norm(gradients(tensors))), bits_of(std::sqrt(total.item())));
  EXPECT_EQ(global_norm(gradients<E>({Tensor<E>({2}, {E(3), E(0)}), Tensor<E>({1, 1}, {E(-4)})})), E(5));
  EXPECT_EQ(global_norm(gradients<E>({})), E(0));
}

TYPED_TEST(Clipping, ByNormScalesDownToTheLimitAndElseChangesNoBit) {
  using E = TypeParam;
  const auto held = gradients<E>({Tensor<E>({3}, {E(3), E(-0.0), E(0.1)}), Tensor<E>({1}, {E(-4)})});
  for (const E limit : {global_norm(held), E(6), E(1e30)}) {
    const auto same = clip_by_norm(held, limit);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_TRUE(same_bits(same.payloads()[i], held.payloads()[i])) << limit;
  }
  for (const E limit : {E(1e-6), E(0.5), E(4.9)}) {
    const auto clipped = clip_by_norm(held, limit);
    // the factor, the products, and the norm of the result round
    EXPECT_NEAR(global_norm(clipped), limit, 8 * std::numeric_limits<E>::epsilon() * limit);
    EXPECT_NEAR(clipped.payloads()[0].elements()[0] / clipped.payloads()[1].item(), E(-0.75),
                4 * std::numeric_limits<E>::epsilon());
  }
}

TYPED_TEST(Clipping, ByNormSpreadsNaNAndAnInfiniteNormLeavesZeros) {
  using E = TypeParam;
  const E nan = std::numeric_limits<E>::quiet_NaN(), infinity = std::numeric_limits<E>::infinity();
  const auto broken = clip_by_norm(gradients<E>({Tensor<E>({2}, {E(1), nan}), Tensor<E>(E(2))}), E(1));
  for (const Tensor<E>& tensor : broken.payloads()) {
    for (const E element : tensor.elements()) EXPECT_TRUE(std::isnan(element));
  }
  const auto endless = clip_by_norm(gradients<E>({Tensor<E>({2}, {E(-1), infinity}), Tensor<E>(E(2))}), E(1));
  EXPECT_TRUE(same_bits(endless.payloads()[0], Tensor<E>({2}, {E(-0.0), nan})));
  EXPECT_TRUE(same_bits(endless.payloads()[1], Tensor<E>(E(0))));
}

TYPED_TEST(Clipping, ByValueKeepsWhatIsWithinAndTheSignOfZero) {
  using E = TypeParam;
  const E nan = std::numeric_limits<E>::quiet_NaN(), infinity = std::numeric_limits<E>::infinity();
  const E tiny = std::numeric_limits<E>::denorm_min();
  const auto clipped = clip_by_value(
      gradients<E>({Tensor<E>({9}, {E(-2), E(-0.5), -tiny, E(-0.0), E(0), tiny, E(0.75), infinity, nan})}),
      E(0.5));
  EXPECT_TRUE(same_bits(clipped.payloads()[0],
                        Tensor<E>({9}, {E(-0.5), E(-0.5), -tiny, E(-0.0), E(0), tiny, E(0.5), E(0.5), nan})));
}

TYPED_TEST(Clipping, GoesBetweenAGradientAndItsUpdate) {
  using E = TypeParam;
  Fed<E> fed;
  const Symbol first = fed.first, first_seed = fed.first_seed, second_seed = fed.second_seed;
  const Adjoints adjoints = fed.adjoints;
  const Adjoints clipped = record_clip_by_norm(fed.tape, adjoints, E(0.5));
  const Value<E> rate = fed.tape.leaf(Tensor<E>(E(0.01)));
  const RecordedOptimizer recorded = record_adam(fed.tape, clipped, rate);
  const Network<E> network = std::move(fed.tape).seal();
  Session<E> session =
      network.entry(adjoints.target()).update(recorded.updates).lower().session(network.parameters());
  Parameters<E> by_hand = network.parameters();
  Adam<E> adam;
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Feeds<E> feeds{{first_seed, Uniform(step, 0.1).tensor<E>({40, 150})},
                         {second_seed, Uniform(step + 1, 0.01).tensor<E>({7})}};
    session.run(feeds);
    const auto gradients = network.entry(adjoints.roots()).interpret(by_hand, feeds).gradients(adjoints);
    by_hand = adam.step(by_hand, clip_by_norm(gradients, E(0.5)), E(0.01));
    ASSERT_TRUE(same_bits(session.parameters().of(first), by_hand.of(first))) << step;
  }
}

TYPED_TEST(Clipping, RefusesLimitsThatMeanNothing) {
  using E = TypeParam;
  Fed<E> fed;
  const std::size_t size = fed.tape.size();
  const auto held = gradients<E>({Tensor<E>(E(1))});
  for (const E limit : {E(0), E(-1), std::numeric_limits<E>::quiet_NaN()}) {
    EXPECT_THROW(clip_by_norm(held, limit), UsageError);
    EXPECT_THROW(clip_by_value(held, limit), UsageError);
    EXPECT_THROW(record_clip_by_norm(fed.tape, fed.adjoints, limit), UsageError);
    EXPECT_THROW(record_clip_by_value(fed.tape, fed.adjoints, limit), UsageError);
  }
  EXPECT_EQ(fed.tape.size(), size);
}

}  // namespace
}  // namespace topos
