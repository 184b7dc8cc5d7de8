// A value used several times: its cotangents add, each once.
#include "reports/readings.hpp"
#include "topos/composites/axes.hpp"
#include "topos/composites/losses.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Sharing : public ::testing::Test {};
TYPED_TEST_SUITE(Sharing, ElementTypes);
template <class E>
class SharingText : public EmittedText {};
TYPED_TEST_SUITE(SharingText, ElementTypes);

TYPED_TEST(Sharing, adds_one_cotangent_for_each_use) {
  using E = TypeParam;
  const auto one = tensor<E>({}, {1});
  const Reading<E> products = evaluate<E>(
      [](const auto& v) {
        const Value<E>& x = v[0];
        return x * (x * E(1)) + x * x * E(1) + x * (x * E(1));
      },
      {one});
  EXPECT_TRUE(same(products, {tensor<E>({}, {3}), {tensor<E>({}, {6})}}));
  const Reading<E> doubled = evaluate<E>(
      [](const auto& v) {
        const Value<E> twice = v[0] + v[0];
        return twice + twice;
      },
      {one});
  EXPECT_TRUE(same(doubled, {tensor<E>({}, {4}), {tensor<E>({}, {4})}}));
}

TYPED_TEST(Sharing, in_a_ladder_of_diamonds_doubles_at_each_rung) {
  using E = TypeParam;
  const Reading<E> reading = evaluate<E>(
      [](const auto& v) {
        Value<E> rung = v[0];
        for (int i = 0; i < 60; ++i) rung = rung + rung;
        return rung;
      },
      {tensor<E>({}, {1})});
  EXPECT_TRUE(same(reading.gradients[0], tensor<E>({}, {std::ldexp(1.0, 60)})));
}

/// Row ids of E times E transposed, and its mean cross entropy.
template <class E>
Value<E> tied(const Value<E>& embedding, const Value<E>& head) {
  const Value<E> rows = gather(embedding, embedding.leaf(Tensor<E>::selection({0, 2}, 3)));
  return cross_entropy(matmul(rows, transpose(head)), embedding.leaf(Tensor<E>::selection({1, 1}, 3)));
}

template <class E>
Tensor<E> table() {
  return tensor<E>({3, 2}, {1, 2, 3, 4, 5, 6});
}

TYPED_TEST(Sharing, of_a_table_and_a_head_sums_their_gradients) {
  using E = TypeParam;
  const Reading<E> once = evaluate<E>([](const auto& v) { return tied(v[0], v[0]); }, {table<E>()});
  // in f32 the logits, up to 61, are followed by sums of about ten terms
  EXPECT_TRUE(near(once.value, tensor<E>({}, {14.001240700}), 1e-7));
  const auto expected =
      tensor<E>({3, 2}, {0.9975180, 0.9975205, -2.9987638, -3.9975274, 3.9987607, 4.9975214});
  EXPECT_TRUE(near(once.gradients[0], expected, 1e-5));
  const Reading<E> twice =
      evaluate<E>([](const auto& v) { return tied(v[0], v[1]); }, {table<E>(), table<E>()});
  EXPECT_TRUE(near(twice.gradients[0] + twice.gradients[1], once.gradients[0], roundings<E>(4)));
}

TYPED_TEST(Sharing, makes_one_parameter_with_one_update) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> shared = tape.parameter(table<E>());
  const Adjoints adjoints = tape.differentiate(tied(shared, shared), {shared});
  const Network<E> network = std::move(tape).seal();
  const Parameters<E> before = network.parameters();
  ASSERT_EQ(before.size(), 1u);
  const Run<E> run = network.entry(adjoints.roots()).lower().forward(before, {});
  const Parameters<E> after = before.step(run.gradients(adjoints), sgd(E(0.5)));
  const auto rate = Tensor<E>::filled({3, 2}, E(0.5));
  EXPECT_TRUE(same(after.of(before.symbol(0)), table<E>() - run.of(adjoints.of(before.symbol(0))) * rate));
}

TYPED_TEST(SharingText, adds_the_same_in_the_text) {
  using E = TypeParam;
  const Function<E> function = [](const auto& v) { return tied(v[0], v[0]); };
  // sums of three and products of two terms, in another order
  EXPECT_TRUE(
      near(evaluate_text(function, {table<E>()}), evaluate(function, {table<E>()}), roundings<E>(16)));
}

}  // namespace
}  // namespace topos::reports
