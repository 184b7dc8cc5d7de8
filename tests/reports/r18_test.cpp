// Tensors without elements, through shapes, values, gradients and text.
#include "reports/readings.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/axes.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/emission/literal.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Empty : public ::testing::Test {};
TYPED_TEST_SUITE(Empty, ElementTypes);
template <class E>
class EmptyText : public EmittedText {};
TYPED_TEST_SUITE(EmptyText, ElementTypes);

template <class E>
Tensor<E> none(const Shape& shape) {
  return Tensor<E>(shape, {});
}

/// Operand shapes, a function of them, and its value.
template <class E>
struct Case {
  std::vector<Tensor<E>> at;
  Function<E> function;
  Tensor<E> value;
};

template <class E>
std::vector<Case<E>> cases() {
  const auto product = [](const auto& v) { return matmul(v[0], v[1]); };
  const auto mean_square = [](const auto& v) {
    const Value<E> raised = matmul(v[0], v[1]) + v[0].constant(Shape{3, 4}, 1);
    return sum(raised * raised) / E(12);
  };
  const auto zeros = [](const Shape& shape) { return Tensor<E>::filled(shape, E(0)); };
  return {
      {{none<E>({3, 0}), none<E>({0, 4})}, mean_square, tensor<E>({}, {1})},
      {{none<E>({3, 0}), none<E>({0, 4})}, product, zeros({3, 4})},
      {{zeros({3, 4}), none<E>({4, 0})}, product, none<E>({3, 0})},
      {{none<E>({0, 3}), zeros({3, 2})}, product, none<E>({0, 2})},
      {{none<E>({3, 0, 0}), none<E>({3, 0, 0})}, product, none<E>({3, 0, 0})},
      {{none<E>({3, 0})}, [](const auto& v) { return sum(v[0]); }, tensor<E>({}, {0})},
      {{none<E>({3, 0})}, [](const auto& v) { return sum_along(v[0], 1); }, zeros({3})},
      {{none<E>({3, 0})}, [](const auto& v) { return sum_along(v[0], 0); }, none<E>({0})},
      {{none<E>({3, 0})},
       [](const auto& v) { return logsumexp(v[0], 1); },
       Tensor<E>::filled({3}, -infinity<E>)},
      {{none<E>({2, 0})}, [](const auto& v) { return logsumexp(v[0], 0); }, none<E>({0})},
      {{none<E>({2, 0})},
       [](const auto& v) { return maximum(narrow(v[0], 0, 0, 1), narrow(v[0], 0, 1, 1)); },
       none<E>({1, 0})},
      {{none<E>({2, 0})}, [](const auto& v) { return log_softmax(v[0], 1); }, none<E>({2, 0})},
      {{none<E>({3, 0})},
       [](const auto& v) { return mean_along(v[0], 1); },
       Tensor<E>::filled({3}, not_a_number<E>)},
      {{none<E>({0})}, [](const auto& v) { return relu(v[0]) * v[0] + gelu(v[0]); }, none<E>({0})},
      {{none<E>({2, 0})}, [](const auto& v) { return reshape(v[0], {0, 5}); }, none<E>({0, 5})},
      {{none<E>({0})}, [](const auto& v) { return pad(v[0], 0, 1, 3); }, zeros({3})},
      {{zeros({3})}, [](const auto& v) { return narrow(v[0], 0, 2, 0); }, none<E>({0})},
      {{zeros({})}, [](const auto& v) { return broadcast(v[0], {2, 0}); }, none<E>({2, 0})},
      {{none<E>({0})}, [](const auto& v) { return broadcast_along(v[0], 0, 2); }, none<E>({2, 0})},
      {{zeros({3})}, [](const auto& v) { return broadcast_along(v[0], 0, 0); }, none<E>({0, 3})},
      {{zeros({3, 2})},
       [](const auto& v) { return gather(v[0], v[0].leaf(Tensor<E>::selection({}, 3))); },
       none<E>({0, 2})},
      {{none<E>({3, 0})},
       [](const auto& v) { return gather(v[0], v[0].leaf(Tensor<E>::selection({2}, 3))); },
       none<E>({1, 0})},
      {{none<E>({0, 1, 4, 4})}, [](const auto& v) { return max_pool(v[0], 2, 2); }, none<E>({0, 1, 2, 2})},
      {{none<E>({0, 1, 3, 3}), zeros({2, 1, 2, 2}), zeros({2})},
       [](const auto& v) { return conv2d(v[0], v[1], v[2], 1, 0); },
       none<E>({0, 2, 2, 2})},
      {{none<E>({1, 0, 3, 3}), none<E>({1, 0, 2, 2}), tensor<E>({1}, {0.5})},
       [](const auto& v) { return conv2d(v[0], v[1], v[2], 1, 0); },
       Tensor<E>::filled({1, 1, 2, 2}, E(0.5))},
  };
}

TYPED_TEST(Empty, operands_have_values_and_gradients_of_their_own_shape) {
  using E = TypeParam;
  for (const Case<E>& c : cases<E>()) {
    SCOPED_TRACE(describe(c.at[0].shape()) + " to " + describe(c.value.shape()));
    const Reading<E> reading = evaluate(c.function, c.at);
    EXPECT_TRUE(same(reading.value, c.value));
    for (std::size_t i = 0; i < c.at.size(); ++i) EXPECT_EQ(reading.gradients[i].shape(), c.at[i].shape());
  }
}

TYPED_TEST(Empty, values_of_a_selection_are_refused_only_where_an_id_has_no_row) {
  using E = TypeParam;
  EXPECT_NO_THROW(Tensor<E>::selection({}, 0));
  EXPECT_THROW(Tensor<E>::selection({0}, 0), UsageError);
}

TYPED_TEST(Empty, extents_do_not_hide_one_that_is_negative_or_too_large) {
  using E = TypeParam;
  EXPECT_THROW(Shape({0, -1}), UsageError);
  EXPECT_THROW(Shape({0, Extent{1} << 40, Extent{1} << 40}), UsageError);
  EXPECT_THROW(Tensor<E>(Shape{2, 0}, {E(1)}), UsageError);
  EXPECT_THROW(none<E>({0}).item(), UsageError);
}

TYPED_TEST(Empty, windows_do_not_fit_into_an_empty_axis) {
  using E = TypeParam;
  Tape<E> tape;
  EXPECT_THROW(max_pool(tape.input(none<E>({1, 1, 0, 4})), 1, 1), ShapeError);
}

TYPED_TEST(Empty, constants_print_without_elements) {
  using E = TypeParam;
  EXPECT_EQ(dense_attribute(none<E>({0})), "dense<>");
  EXPECT_EQ(dense_attribute(none<E>({3, 0, 2})), "dense<>");
}

// By XLA: the reference interpreter aborts in a dot_general without elements.
TYPED_TEST(EmptyText, operands_are_the_same_in_the_text) {
  using E = TypeParam;
  for (const Case<E>& c : cases<E>()) {
    SCOPED_TRACE(describe(c.at[0].shape()) + " to " + describe(c.value.shape()));
    EXPECT_TRUE(same(evaluate_text(c.function, c.at, Evaluator::xla), evaluate(c.function, c.at)));
  }
}

TYPED_TEST(EmptyText, constants_are_read_back) {
  using E = TypeParam;
  Tape<E> tape;
  const Symbol constant = tape.leaf(none<E>({3, 0}));
  const Plan<E> plan = std::move(tape).seal().entry({constant}).lower();
  EXPECT_TRUE(same(evaluate_text<E>(plan, {})[0], none<E>({3, 0})));
}

}  // namespace
}  // namespace topos::reports
