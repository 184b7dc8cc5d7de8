// Attention as one step: the interpreter's bits, whatever the mask leaves out.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/programs.hpp"
#include "topos/composites/attention.hpp"

namespace topos {
namespace {

using testing::Machine;
using testing::Setting;
using testing::spread_by;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// softmax(q k^T / 4 + mask) v of some heads, all but the mask fed.
template <class E>
struct Attention {
  Symbol queries, keys, values, scores, result;
  Network<E> network;
};

template <class E>
Attention<E> attention(Extent heads, Extent queries, Extent keys, Extent width, Extent columns,
                       const Tensor<E>& mask) {
  Tape<E> tape;
  const auto zeros = [&](const Shape& shape) { return tape.input(Tensor<E>::filled(shape, E{0})); };
  const Value<E> q = zeros({heads, queries, width});
  const Value<E> k = zeros({heads, keys, width});
  const Value<E> v = zeros({heads, keys, columns});
  const Value<E> scores = matmul(q, permute(k, {0, 2, 1}));
  const Value<E> scaled = scores * Tensor<E>::filled(Shape({heads, queries, keys}), E{0.25});
  const Value<E> masked = scaled + broadcast_along(tape.leaf(mask), 0, heads);
  const Value<E> result = matmul(softmax(masked, 2), v);
  return {q, k, v, scores, result, std::move(tape).seal()};
}

template <class E>
Feeds<E> feeds(const Attention<E>& of, double scale, std::uint32_t seed) {
  const auto shape = [&](const Symbol& symbol) { return of.network.graph()[symbol.index()].shape; };
  return {{of.queries, spread_by<E>(scale, shape(of.queries), seed)},
          {of.keys, spread_by<E>(scale, shape(of.keys), seed + 1)},
          {of.values, spread_by<E>(scale, shape(of.values), seed + 2)}};
}

template <class E>
bool is_one_step(const Attention<E>& of) {
  return of.network.entry(of.result).lower().describe_engine().find("attention in") != std::string::npos;
}

template <class E>
void expect_the_interpreters_bits(const Attention<E>& of, const Feeds<E>& fed, std::size_t every = 3) {
  const Parameters<E> none = of.network.parameters();
  const Tensor<E> expected = of.network.entry(of.result).interpret(none, fed).of(of.result);
  Machine machine;
  const std::vector<Setting> settings = testing::settings();
  for (std::size_t i = 0; i < settings.size(); i += every) {
    machine.use(settings[i].threads, settings[i].instruction_set);
    const Plan<E> plan = of.network.entry(of.result).engine(settings[i].options).lower();
    EXPECT_TRUE(same_bits(plan.forward(none, fed).of(of.result), expected)) << settings[i].describe();
  }
}

template <class E>
Tensor<E> replaced(const Tensor<E>& tensor, std::size_t at, E value) {
  const Elements<E> from = tensor.elements();
  std::vector<E> elements(from.begin(), from.end());
  elements[at] = value;
  return Tensor<E>(tensor.shape(), std::move(elements));
}

TEST(AttentionSteps, GiveTheInterpretersBitsUnderACausalMask) {
  const auto floats = attention<float>(3, 75, 75, 20, 33, causal_mask<float>(75));
  EXPECT_TRUE(is_one_step(floats));
  expect_the_interpreters_bits(floats, feeds(floats, 2, 1));
  const auto doubles = attention<double>(2, 40, 40, 8, 16, causal_mask<double>(40));
  EXPECT_TRUE(is_one_step(doubles));
  expect_the_interpreters_bits(doubles, feeds(doubles, 2, 1));
}

TEST(AttentionSteps, GiveTheInterpretersBitsWithoutAMaskToSpeakOf) {
  const auto few = attention<float>(2, 1, 50, 16, 24, Tensor<float>::filled(Shape({1, 50}), 0.0f));
  expect_the_interpreters_bits(few, feeds(few, 1, 1));
  const auto many = attention<float>(1, 90, 7, 3, 5, spread_by<float>(1, {90, 7}, 9));
  expect_the_interpreters_bits(many, feeds(many, 1, 1));
}

TEST(AttentionSteps, GiveTheInterpretersBitsWhereLeavingKeysOutWouldShow) {
  const auto causal = attention<float>(2, 60, 60, 12, 16, causal_mask<float>(60));
  const Feeds<float> plain = feeds(causal, 1, 5);
  const std::size_t behind = 59 * 16 + 3;  // an element of the last key's value, which only the last row sees
  for (const float value : {infinity, std::nanf("")}) {
    Feeds<float> fed = plain;
    fed[2] = {causal.values, replaced(plain[2].value, behind, value)};
    expect_the_interpreters_bits(causal, fed, 7);
  }
  for (const float value : {3e38f, infinity, std::nanf("")}) {
    Feeds<float> fed = plain;
    fed[0] = {causal.queries, replaced(plain[0].value, 5, value)};
    fed[1] = {causal.keys, replaced(plain[1].value, 59 * 12 + 5, value)};
    expect_the_interpreters_bits(causal, fed, 7);
  }
  // every weighted value underflows to -0, and a masked key's +0 makes it +0
  Feeds<float> tiny = plain;
  tiny[2] = {causal.values, Tensor<float>::filled(Shape({2, 60, 16}), -1e-45f)};
  expect_the_interpreters_bits(causal, tiny, 7);
  tiny[2] = {causal.values, replaced(tiny[2].value, behind, 1.0f)};
  expect_the_interpreters_bits(causal, tiny, 7);
}

TEST(AttentionSteps, GiveTheInterpretersBitsForRowsThatSeeNothing) {
  const Tensor<float> nothing = Tensor<float>::filled(Shape({33, 33}), -infinity);
  const auto blind = attention<float>(2, 33, 33, 4, 8, nothing);
  expect_the_interpreters_bits(blind, feeds(blind, 1, 1));
  const Tensor<float> but_one = replaced(causal_mask<float>(33), 0, -infinity);
  const auto one = attention<float>(2, 33, 33, 4, 8, but_one);
  expect_the_interpreters_bits(one, feeds(one, 1, 1));
}

TEST(AttentionSteps, StandForTheCompositeOfOneHead) {
  Tape<float> tape;
  const Value<float> q = tape.parameter(spread_by<float>(1, {31, 8}, 1));
  const Value<float> k = tape.parameter(spread_by<float>(1, {31, 8}, 2));
  const Value<float> v = tape.parameter(spread_by<float>(1, {31, 8}, 3));
  const Value<float> mask = tape.leaf(causal_mask<float>(31));
  const Value<float> scale = tape.leaf(Tensor<float>(0.35f));
  const Value<float> mixed = scaled_dot_product(q, k, v, mask, scale);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry(mixed).lower();
  EXPECT_NE(plan.describe_engine().find("masked keys left out"), std::string::npos) << plan.describe_engine();
  EXPECT_TRUE(same_bits(plan.forward(network.parameters()).of(mixed),
                        network.entry(mixed).interpret(network.parameters()).of(mixed)));
}

/// masked_attention of some heads under a constant mask.
Attention<float> masked(Extent heads, Extent queries, Extent keys, const Tensor<float>& mask) {
  Tape<float> tape;
  const auto zeros = [&](Extent rows, Extent columns) {
    return tape.input(Tensor<float>::filled(Shape({heads, rows, columns}), 0.0f));
  };
  const Value<float> q = zeros(queries, 12);
  const Value<float> k = zeros(keys, 12);
  const Value<float> v = zeros(keys, 16);
  const Value<float> result = masked_attention(q, k, v, tape.leaf(mask), tape.leaf(Tensor<float>(0.3f)));
  return {q, k, v, q, result, std::move(tape).seal()};
}

TEST(AttentionSteps, StandForMaskedAttentionToo) {
  const auto causal = masked(3, 50, 70, causal_mask<float>(50, 70, 20));
  EXPECT_TRUE(is_one_step(causal));
  EXPECT_NE(causal.network.entry(causal.result).lower().describe_engine().find("masked keys left out"),
            std::string::npos);
  expect_the_interpreters_bits(causal, feeds(causal, 2, 1));
  const auto blind = masked(2, 40, 40, replaced(causal_mask<float>(40), 0, -infinity));
  expect_the_interpreters_bits(blind, feeds(blind, 2, 1));
  // scores as large as what hides
  Feeds<float> large = feeds(causal, 1, 3);
  large[0] = {causal.queries, spread_by<float>(3e15, {3, 50, 12}, 1)};
  large[1] = {causal.keys, spread_by<float>(3e15, {3, 70, 12}, 2)};
  expect_the_interpreters_bits(causal, large, 5);
}

TEST(AttentionSteps, AreNotTakenWhereSomethingReadsTheScores) {
  const auto of = attention<float>(2, 20, 20, 4, 8, causal_mask<float>(20));
  const Plan<float> observed = of.network.entry(of.result).observe({of.scores}).lower();
  EXPECT_EQ(observed.describe_engine().find("attention in"), std::string::npos);
  const Plan<float> unfused = of.network.entry(of.result).engine({.fuse = false}).lower();
  EXPECT_EQ(unfused.describe_engine().find("attention in"), std::string::npos);
}

}  // namespace
}  // namespace topos
