// Layers, activations, convolutions and pools against PyTorch.
#include "nn/captured.hpp"
#include "topos/nn/convolution.hpp"
#include "topos/nn/dropout.hpp"
#include "topos/nn/embedding.hpp"
#include "topos/nn/mlp.hpp"
#include "topos/nn/pooling.hpp"
#include "topos/nn/sequential.hpp"

namespace topos {
namespace {

using testing::Captured;
using testing::expect_captured;
using testing::near_captured;
using testing::Recorded;

template <class E>
class LayersAgainstPyTorch : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LayersAgainstPyTorch, ElementTypes);

TYPED_TEST(LayersAgainstPyTorch, Linear) {
  using E = TypeParam;
  for (const char* title : {"rows", "more axes"}) {
    expect_captured<E>("linear", title, [](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Linear<E> layer(tape, captured.input<E>("weights"), captured.input<E>("bias"));
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      return {{{"output", layer.express(x)}},
              {{"x", x}, {"weights", layer.weights()}, {"bias", *layer.bias()}}};
    });
  }
  expect_captured<E>("linear", "no bias", [](Tape<E>& tape, const Captured& captured) -> Recorded {
    const Linear<E> layer(tape, captured.input<E>("weights"));
    const Value<E> x = tape.parameter(captured.input<E>("x"));
    return {{{"output", layer.express(x)}}, {{"x", x}, {"weights", layer.weights()}}};
  });
}

const std::map<std::string, Activation> activations{{"tanh", Activation::tanh},
                                                    {"relu", Activation::relu},
                                                    {"softplus", Activation::softplus},
                                                    {"gelu", Activation::gelu}};

/// Hands out the captured weights and biases in the order in which an Mlp asks.
struct CapturedInitializer {
  template <class E>
  Tensor<E> tensor(const Shape& shape) {
    const std::string stage = std::to_string(asked++ / 2);
    const Tensor<E> found = captured.input<E>((shape.rank() == 2 ? "weights" : "bias") + stage);
    EXPECT_EQ(found.shape(), shape);
    return found;
  }
  const Captured& captured;
  int asked = 0;
};

TYPED_TEST(LayersAgainstPyTorch, MlpOfEachActivation) {
  using E = TypeParam;
  for (const auto& [title, activation] : activations) {
    expect_captured<E>("mlp", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Mlp<E> model(tape, {3, 5, 2}, activation, CapturedInitializer{captured});
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      const Symbols symbols = parameters(model);
      return {{{"output", model.express(x)}},
              {{"x", x},
               {"weights0", symbols[0]},
               {"bias0", symbols[1]},
               {"weights1", symbols[2]},
               {"bias1", symbols[3]}}};
    });
  }
}

TYPED_TEST(LayersAgainstPyTorch, SequentialOfLinearAndEachActivation) {
  using E = TypeParam;
  for (const auto& [title, activation] : activations) {
    expect_captured<E>("mlp", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Linear<E> first(tape, captured.input<E>("weights0"), captured.input<E>("bias0"));
      const Linear<E> second(tape, captured.input<E>("weights1"), captured.input<E>("bias1"));
      const Sequential<E> model = Sequential<E>().then(first).then(activation).then(second);
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      return {{{"output", model.express(x)}},
              {{"x", x},
               {"weights0", first.weights()},
               {"bias0", *first.bias()},
               {"weights1", second.weights()},
               {"bias1", *second.bias()}}};
    });
  }
}

TYPED_TEST(LayersAgainstPyTorch, Conv2d) {
  using E = TypeParam;
  const std::map<std::string, ConvolutionOptions> options{
      {"plain", {}},
      {"stride 2 padding 1", {.stride = 2, .padding = 1}},
      {"dilation 2", {.dilation = 2}},
      {"groups 2", {.groups = 2}},
      {"depthwise", {.stride = 2, .padding = 1, .groups = 3}},
      {"everything", {.stride = 2, .padding = 2, .dilation = 2, .groups = 2}}};
  for (const auto& [title, option] : options) {
    expect_captured<E>("convolution", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Conv2d<E> layer(tape, captured.input<E>("weights"), captured.input<E>("bias"), option);
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      return {{{"output", layer.express(x)}},
              {{"x", x}, {"weights", layer.weights()}, {"bias", layer.bias()}}};
    });
  }
}

template <class E>
void expect_captured_pool(const std::string& title, const Module<E>& pool) {
  expect_captured<E>("pooling", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
    const Value<E> x = tape.parameter(captured.input<E>("x"));
    return {{{"output", pool.express(x)}}, {{"x", x}}};
  });
}

TYPED_TEST(LayersAgainstPyTorch, Pools) {
  using E = TypeParam;
  expect_captured_pool<E>("max 2 2", MaxPool2d<E>());
  expect_captured_pool<E>("max 3 2 padding 1", MaxPool2d<E>({.size = 3, .stride = 2, .padding = 1}));
  expect_captured_pool<E>("average 2 2", AveragePool2d<E>());
  expect_captured_pool<E>("average 3 2 padding 1", AveragePool2d<E>({.size = 3, .stride = 2, .padding = 1}));
  expect_captured_pool<E>("global average", GlobalAveragePool<E>());
}

TYPED_TEST(LayersAgainstPyTorch, DropoutByItsMask) {
  using E = TypeParam;
  expect_captured<E>("dropout", "mask", [](Tape<E>& tape, const Captured& captured) -> Recorded {
    // Here the mask has a gradient, too, so it is no input, whose default would be ones.
    const Value<E> x = tape.parameter(captured.input<E>("x"));
    const Value<E> mask = tape.parameter(captured.input<E>("mask"));
    return {{{"output", x * mask}}, {{"x", x}, {"mask", mask}}};
  });
  const Captured captured("dropout", "mask");
  Tape<E> tape;
  const Dropout<E> layer(tape, {3, 4});
  const Value<E> x = tape.parameter(captured.input<E>("x"));
  const Value<E> output = layer.express(x);
  const Value<E> seed = tape.leaf(captured.seed<E>());
  const Adjoints adjoints = tape.differentiate(sum(output * seed), {x});
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry({output, adjoints.of(x)}).lower();
  const Run<E> fed = plan.forward(network.parameters(), {{layer.mask(), captured.input<E>("mask")}});
  EXPECT_TRUE(near_captured(fed.of(output), captured.results<E>("outputs").at("output")));
  EXPECT_TRUE(near_captured(fed.of(adjoints.of(x)), captured.results<E>("gradients").at("x")));
  const Run<E> unfed = plan.forward(network.parameters());
  EXPECT_TRUE(same_bits(unfed.of(output), captured.input<E>("x"))) << "unfed, everything is kept";
}

TYPED_TEST(LayersAgainstPyTorch, EmbeddingOfRepeatedIds) {
  using E = TypeParam;
  expect_captured<E>("embedding", "ids", [](Tape<E>& tape, const Captured& captured) -> Recorded {
    const Embedding<E> layer(tape, captured.input<E>("table"));
    const Value<E> ids = tape.input(layer.selection(captured.ids("ids")));
    return {{{"output", layer.express(ids)}}, {{"table", layer.weights()}}};
  });
}

}  // namespace
}  // namespace topos
