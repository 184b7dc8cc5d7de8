// A cross entropy over huge logits: what cancels must cancel before it is rounded. log_softmax subtracts the
// shift from the logits and never adds it back.
#include "reports/readings.hpp"
#include "topos/composites/losses.hpp"

namespace topos::reports {
namespace {

template <class E>
class HugeLogits : public ::testing::Test {};
TYPED_TEST_SUITE(HugeLogits, ElementTypes);
template <class E>
class HugeLogitsText : public EmittedText {};
TYPED_TEST_SUITE(HugeLogitsText, ElementTypes);

/// The cross entropy of the target, a selection or its one-hot matrix.
template <class E>
Function<E> loss_at(const Tensor<E>& targets) {
  return [targets](const std::vector<Value<E>>& logits) {
    return cross_entropy(logits[0], logits[0].leaf(targets));
  };
}

template <class E>
std::vector<Tensor<E>> target_1_of_2() {
  return {Tensor<E>::selection({1}, 2), tensor<E>({1, 2}, {0, 1})};
}

TYPED_TEST(HugeLogits, that_are_equal_give_the_logarithm_of_their_number) {
  using E = TypeParam;
  for (const Tensor<E>& targets : target_1_of_2<E>()) {
    for (const double logit : {1e8, -1e8, 1e30, 0.0}) {
      const Reading<E> reading = evaluate(loss_at(targets), {tensor<E>({1, 2}, {logit, logit})});
      EXPECT_TRUE(near(reading.value, tensor<E>({}, {std::log(2.0)}), roundings<E>(1)));
      EXPECT_TRUE(near(reading.gradients[0], tensor<E>({1, 2}, {0.5, -0.5}), roundings<E>(1)));
    }
  }
}

TYPED_TEST(HugeLogits, that_differ_give_their_difference) {
  using E = TypeParam;
  for (const Tensor<E>& targets : target_1_of_2<E>()) {
    const auto logits = tensor<E>({1, 2}, {-2.88e11, -4.40e11});
    const Reading<E> reading = evaluate(loss_at(targets), {logits});
    EXPECT_TRUE(near(reading.value, tensor<E>({}, {1.52e11}), roundings<E>(2)));
    EXPECT_TRUE(same(reading.gradients[0], tensor<E>({1, 2}, {1, -1})));
  }
}

TYPED_TEST(HugeLogitsText, lose_nothing_in_the_text) {
  using E = TypeParam;
  for (const double other : {1e8, -3e8}) {
    const auto logits = tensor<E>({1, 2}, {1e8, other});
    const Function<E> loss = loss_at(target_1_of_2<E>()[0]);
    // exp and log of the two evaluations may round apart in f64
    EXPECT_TRUE(near(evaluate_text(loss, {logits}), evaluate(loss, {logits}), roundings<E>(2)));
  }
}

}  // namespace
}  // namespace topos::reports
