// Losses against PyTorch, and what they refuse.
#include "topos/composites/losses.hpp"
#include "nn/captured.hpp"

namespace topos {
namespace {

using testing::Captured;
using testing::expect_captured;
using testing::Recorded;

template <class E>
class LossesAgainstPyTorch : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LossesAgainstPyTorch, ElementTypes);

TYPED_TEST(LossesAgainstPyTorch, CrossEntropyWithSmoothingAndAnIgnoredClass) {
  using E = TypeParam;
  const std::map<std::string, CrossEntropy> forms{{"cross entropy", {}},
                                                  {"smoothing", {.smoothing = 0.125}},
                                                  {"ignored", {.ignored = 3}},
                                                  {"smoothing ignored", {.smoothing = 0.125, .ignored = 3}}};
  for (const auto& [title, how] : forms) {
    expect_captured<E>("losses", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Value<E> logits = tape.parameter(captured.input<E>("logits"));
      const Value<E> targets = tape.input(Tensor<E>::selection(captured.ids("ids"), 4));
      return {{{"output", cross_entropy(logits, targets, how)}}, {{"logits", logits}}};
    });
  }
  expect_captured<E>("losses", "cross entropy", [&](Tape<E>& tape, const Captured& captured) -> Recorded {
    const Value<E> logits = tape.parameter(captured.input<E>("logits"));
    const Value<E> targets = tape.input(Tensor<E>::selection(captured.ids("ids"), 4));
    return {{{"output", cross_entropy(logits, targets)}}, {{"logits", logits}}};
  });
}

TYPED_TEST(LossesAgainstPyTorch, MeanSquaredError) {
  using E = TypeParam;
  expect_captured<E>("losses", "mean squared error", [](Tape<E>& tape, const Captured& captured) -> Recorded {
    const Value<E> prediction = tape.parameter(captured.input<E>("prediction"));
    const Value<E> target = tape.parameter(captured.input<E>("target"));
    return {{{"output", mean_squared_error(prediction, target)}},
            {{"prediction", prediction}, {"target", target}}};
  });
}

TEST(CrossEntropy, OfABatchThatIsIgnoredAsAWholeIsZeroWithZeroGradients) {
  Tape<float> tape;
  const auto logits = tape.parameter(Tensor<float>({2, 3}, {1, 2, 3, -4, 5, 0}));
  const auto targets = tape.input(Tensor<float>::selection({1, 1}, 3));
  const auto loss = cross_entropy(logits, targets, {.smoothing = 0.1, .ignored = 1});
  const Adjoints adjoints = tape.differentiate(loss, {logits});
  const Network<float> network = std::move(tape).seal();
  const auto run = network.entry(adjoints.roots()).lower().forward(network.parameters());
  EXPECT_EQ(run.of(loss).item(), 0.0f);
  for (const float element : run.of(adjoints.of(logits)).elements()) EXPECT_EQ(element, 0.0f);
}

TEST(Losses, RefuseWhatTheyCannotMeanBeforeTheyRecord) {
  Tape<float> tape;
  const auto logits = tape.input(Tensor<float>::filled({2, 3}, 0.0f));
  const auto other = tape.input(Tensor<float>::filled({2, 4}, 0.0f));
  const std::size_t size = tape.size();
  EXPECT_THROW(cross_entropy(logits, other, CrossEntropy{}), ShapeError);
  EXPECT_THROW(cross_entropy(logits, logits, {.smoothing = 1.5}), UsageError);
  EXPECT_THROW(cross_entropy(logits, logits, {.smoothing = NAN}), UsageError);
  EXPECT_THROW(cross_entropy(logits, logits, {.ignored = 3}), UsageError);
  EXPECT_THROW(cross_entropy(logits, logits, {.ignored = -100}), UsageError);
  EXPECT_THROW(mean_squared_error(logits, other), ShapeError);
  EXPECT_EQ(tape.size(), size);
}

}  // namespace
}  // namespace topos
