// Compositions abroad, with their gradients: losses, activations, attention, and the convolutions and pools
// that leave as named operations.
#include <gtest/gtest.h>

#include <plates.hpp>

#include "emission/convnets.hpp"
#include "support/foreign.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

/// A raised gradient adds in one sum what the recorded nodes add in two, a product's and a fold's: of a b
/// terms, whose worst case is a b roundings where the bounds count a + b. The factor covers the difference by
/// far: the roundings of sums this long do not all have one sign.
Envelope raised(const std::string& label) { return {.slack = 2.0, .label = label}; }

template <class E>
class Composites : public ::testing::Test {
 protected:
  /// The value, a weighted sum of it and that sum's gradients, all abroad.
  static void expect_conforms(Tape<E> tape, const Value<E>& value, const Symbols& variables,
                              const std::string& label) {
    Uniform draws(21, 1.0);
    const Value<E> loss = sum(value * draws.template tensor<E>(value.shape()));
    const Adjoints adjoints = tape.differentiate(loss, variables);
    const Symbols observed{value};
    const Network<E> network = std::move(tape).seal();
    expect_conformant(network.entry(adjoints.roots()).observe(observed).lower(), {.label = label});
  }
};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Composites, FloatTypes);

TYPED_TEST(Composites, activations_mean_the_same_abroad) {
  using E = TypeParam;
  using Activation = Value<E> (*)(const Value<E>&);
  const std::vector<std::pair<std::string, Activation>> activations{
      {"abs", [](const Value<E>& x) { return abs(x); }},
      {"relu", [](const Value<E>& x) { return relu(x); }},
      {"softplus", [](const Value<E>& x) { return softplus(x); }},
      {"gelu", [](const Value<E>& x) { return gelu(x); }},
      {"softmax", [](const Value<E>& x) { return softmax(x, 1); }},
      {"mean", [](const Value<E>& x) { return mean_along(x, 0); }},
      {"concat", [](const Value<E>& x) { return concat(std::vector<Value<E>>{x, tanh(x), x}, 1); }},
      {"stack", [](const Value<E>& x) { return stack(std::vector<Value<E>>{x, exp(x)}, 1); }},
      {"broadcast_to", [](const Value<E>& x) { return broadcast_to(narrow(x, 1, 0, 1), Shape{2, 4, 30}); }}};
  for (const auto& [label, activation] : activations) {
    Tape<E> tape;
    const Value<E> x = tape.input(Uniform(22, 6.0).tensor<E>({4, 30}));
    this->expect_conforms(std::move(tape), activation(x), {x}, label);
  }
}

TYPED_TEST(Composites, a_step_of_a_classifier_means_the_same_abroad) {
  using E = TypeParam;
  Tape<E> tape;
  Uniform draws(23, 0.5);
  const Value<E> table = tape.parameter(draws.tensor<E>({7, 3}));
  const Value<E> hidden_weights = tape.parameter(draws.tensor<E>({6, 8}));
  const Value<E> bias = tape.parameter(draws.tensor<E>({8}));
  const Value<E> weights = tape.parameter(draws.tensor<E>({8, 7}));
  const Value<E> context = tape.input(Tensor<E>::selection({0, 3, 3, 6, 1, 0, 5, 2}, 7));
  const Value<E> targets = tape.input(Tensor<E>::selection({3, 6, 0, 2}, 7));
  const Value<E> embedded = reshape(gather(table, context), Shape{4, 6});
  const Value<E> hidden = tanh(matmul(embedded, hidden_weights) + broadcast_along(bias, 0, 4));
  const Value<E> loss = cross_entropy(matmul(hidden, weights), targets);
  const Adjoints adjoints = tape.differentiate(loss, {table, hidden_weights, bias, weights});
  const Network<E> network = std::move(tape).seal();
  expect_conformant(network.entry(adjoints.roots()).lower(), {.label = "classifier"});
}

TYPED_TEST(Composites, masked_attention_means_the_same_abroad) {
  using E = TypeParam;
  Tape<E> tape;
  Uniform draws(24, 1.0);
  const Value<E> q = tape.input(draws.tensor<E>({5, 4}));
  const Value<E> k = tape.input(draws.tensor<E>({5, 4}));
  const Value<E> v = tape.input(draws.tensor<E>({5, 3}));
  const Value<E> mask = tape.leaf(causal_mask<E>(5));
  const Value<E> scale = tape.leaf(Tensor<E>(static_cast<E>(0.5)));
  this->expect_conforms(std::move(tape), scaled_dot_product(q, k, v, mask, scale), {q, k, v}, "attention");
}

TYPED_TEST(Composites, convolutions_and_pools_and_their_gradients_mean_the_same_abroad) {
  using E = TypeParam;
  for (const ConvnetCase& geometry : convnet_cases()) {
    expect_conformant(Convnet<E>::record(geometry).lower(), raised(geometry.name));
  }
}

TYPED_TEST(Composites, a_convolution_over_an_empty_batch_means_the_same_abroad) {
  using E = TypeParam;
  Tape<E> tape;
  Uniform draws(25, 1.0);
  const Value<E> image = tape.input(Tensor<E>(Shape{0, 2, 4, 4}, {}));
  const Value<E> weights = tape.parameter(draws.tensor<E>({3, 2, 2, 2}));
  const Value<E> bias = tape.parameter(draws.tensor<E>({3}));
  const Value<E> pooled = max_pool(conv2d(image, weights, bias, 1, 0), 2, 1);
  this->expect_conforms(std::move(tape), pooled, {image, weights, bias}, "empty batch");
}

TEST(Convnets, of_other_structures_mean_the_same_abroad) {
  expect_conformant(tied_pool(2, 2), raised("tied pool 2 2"));
  expect_conformant(tied_pool(3, 2), raised("tied pool 3 2"));
  expect_conformant(tied_pool(2, 1), raised("tied pool 2 1"));
  expect_conformant(tied_pool(2, 3), raised("tied pool 2 3"));
  expect_conformant(two_layers(), raised("two layers"));
  expect_conformant(uneven_windows(), raised("uneven windows"));
  expect_conformant(shared_patches(), raised("shared patches"));
}

TEST(Plates, mean_the_same_abroad) {
  expect_conformant(plates::chain(), {.label = "plate 1"});
  expect_conformant(plates::walk(), {.label = "plate 2"});
  expect_conformant(plates::convolution(), raised("plate 4"));
  expect_conformant(plates::attention(), {.label = "plate 5"});
}

}  // namespace
}  // namespace topos::testing
