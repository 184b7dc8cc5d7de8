// Modules: names of parameters, life beyond a tape, and refusals.
#include "topos/nn/module.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "topos/nn/attention.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/convolution.hpp"
#include "topos/nn/dropout.hpp"
#include "topos/nn/embedding.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/mlp.hpp"
#include "topos/nn/pooling.hpp"
#include "topos/nn/rms_norm.hpp"
#include "topos/nn/running_statistics.hpp"
#include "topos/nn/sequential.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::refusal;

using T = Tensor<float>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

std::vector<std::string> names_of(const Parameterized& module) {
  std::vector<std::string> names;
  for (const NamedParameter& parameter : named_parameters(module)) names.push_back(parameter.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(NamedParameters, OfEachLayerInVisitingOrder) {
  Tape<float> tape;
  EXPECT_EQ(names_of(Linear(tape, zeros({3, 2}), zeros({2}))), (Names{"weights", "bias"}));
  EXPECT_EQ(names_of(Linear(tape, zeros({3, 2}))), (Names{"weights"}));
  EXPECT_EQ(names_of(Conv2d(tape, zeros({2, 1, 3, 3}), zeros({2}))), (Names{"weights", "bias"}));
  EXPECT_EQ(names_of(BatchNorm(tape, zeros({2}), zeros({2}), 1e-5f)), (Names{"scale", "shift"}));
  EXPECT_EQ(names_of(LayerNorm(tape, zeros({2}), zeros({2}), 1e-5f)), (Names{"scale", "shift"}));
  EXPECT_EQ(names_of(RmsNorm(tape, zeros({2}), 1e-5f)), (Names{"scale"}));
  EXPECT_EQ(names_of(Embedding(tape, zeros({5, 2}))), (Names{"weights"}));
  EXPECT_EQ(names_of(Dropout<float>(tape, {2, 3})), Names());
  EXPECT_EQ(names_of(MaxPool2d<float>()), Names());
  EXPECT_EQ(names_of(ActivationLayer<float>(Activation::gelu)), Names());
  EXPECT_EQ(names_of(Mlp<float>(tape, {3, 4, 2}, Activation::tanh, Xavier(1))),
            (Names{"0.weights", "0.bias", "1.weights", "1.bias"}));
}

TEST(NamedParameters, OfNestedModulesAreJoinedByDots) {
  Tape<float> tape;
  const Mlp<float> inner(tape, {3, 4, 2}, Activation::tanh, Xavier(1));
  const Linear last(tape, zeros({2, 5}));
  const auto model =
      Sequential<float>().then(Activation::relu).then(Sequential<float>().then(inner)).then(last);
  EXPECT_EQ(model.size(), 3u);
  EXPECT_EQ(names_of(model),
            (Names{"1.0.0.weights", "1.0.0.bias", "1.0.1.weights", "1.0.1.bias", "2.weights"}));
  EXPECT_EQ(named_parameters(model).back().symbol, last.weights());
  EXPECT_EQ(parameters(model).size(), 5u);
}

TEST(NamedParameters, OfASharedLayerHaveAPathForEachUseAndOneSymbol) {
  Tape<float> tape;
  const Linear tied(tape, zeros({3, 3}), zeros({3}));
  const auto model = Sequential<float>().then(tied).then(Activation::tanh).then(tied);
  EXPECT_EQ(names_of(model), (Names{"0.weights", "0.bias", "2.weights", "2.bias"}));
  EXPECT_EQ(parameters(model), (Symbols{tied.weights(), *tied.bias()}));
}

/// A module that a user writes: a stage around which its input goes, too.
class Residual : public Module<float> {
 public:
  explicit Residual(Linear<float> stage) : stage_(std::move(stage)) {}
  Value<float> express(const Value<float>& input, const Where& where = Where::current()) const override {
    return add(input, stage_.express(input, where), where);
  }
  void visit(Visitor& visitor) const override { visit_inside(visitor, "stage", stage_); }

 private:
  Linear<float> stage_;
};

TEST(Modules, OfAUsersOwnTakePartInEverything) {
  Tape<float> tape;
  const Residual block(Linear(tape, T({2, 2}, {1, 2, 3, 4})));
  const auto model = Sequential<float>().then(block).then(block);
  EXPECT_EQ(names_of(model), (Names{"0.stage.weights", "1.stage.weights"}));
  const auto output = model.express(tape.leaf(T({1, 2}, {1, 1})));
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ(describe(network.forward(network.parameters()).of(output)), "[[31, 45]]");
}

/// Writes a module's parameters as an outline, layers in brackets.
struct Outline : Visitor {
  void enter(const std::string& segment) override { text += segment + "("; }
  void parameter(const std::string& name, const Symbol&) override { text += name + " "; }
  void leave() override { text += ") "; }
  std::string text;
};

TEST(Visitors, AreToldEachLayerAndTheLayersInsideIt) {
  Tape<float> tape;
  const Residual block(Linear(tape, zeros({2, 2}), zeros({2})));
  Outline outline;
  Sequential<float>()
      .then(block)
      .then(Activation::tanh)
      .then(RmsNorm(tape, zeros({2}), 1e-5f))
      .visit(outline);
  EXPECT_EQ(outline.text, "0(stage(weights bias ) ) 1() 2(scale ) ");
}

/// Ones for weights, and for biases twos: an initializer of one's own.
struct Counting {
  template <class E>
  Tensor<E> tensor(const Shape& shape) {
    return Tensor<E>::filled(shape, shape.rank() == 2 ? E(1) : E(2));
  }
};
static_assert(Initializer<Counting> && Initializer<Xavier>);

TEST(Mlps, AskAnInitializerForEachLayer) {
  Tape<float> tape;
  const Mlp<float> model(tape, {3, 4, 2}, Activation::relu, Counting());
  ASSERT_EQ(model.layers().size(), 2u);
  EXPECT_EQ(model.layers()[0].in(), 3);
  EXPECT_EQ(model.layers()[0].out(), 4);
  EXPECT_EQ(model.layers()[1].shape(), Shape({4, 2}));
  const auto output = model.express(tape.leaf(T({1, 3}, {1, 1, 1})));
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ(describe(network.forward(network.parameters()).of(output)), "[[22, 22]]");  // 4 (3 + 2) + 2
}

TEST(Modules, SayWhatTheyWereMadeFor) {
  Tape<float> tape;
  const Embedding table(tape, zeros({5, 2}));
  EXPECT_EQ(table.vocabulary(), 5);
  EXPECT_EQ(table.selection({4, 0, 4}).shape(), Shape({3, 5}));
  const Dropout<float> dropout(tape, {2, 3});
  EXPECT_EQ(dropout.shape(), Shape({2, 3}));
  EXPECT_EQ(tape.payload(dropout.mask())->shape(), dropout.shape());
}

TEST(Modules, StayGoodWhenTheirNetworkIsSealedAndReopened) {
  Tape<float> tape;
  const Mlp<float> model(tape, {2, 3, 1}, Activation::tanh, Xavier(7));
  const auto first = model.express(tape.leaf(T({1, 2}, {1, -1})));
  Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  Tape<float> reopened = std::move(network).reopen();
  const auto again = model.express(reopened.leaf(T({1, 2}, {1, -1})));
  const Network<float> extended = std::move(reopened).seal();
  const auto run = extended.forward(parameters.carried_to(extended));
  EXPECT_TRUE(same_bits(run.of(again), run.of(first)));
}

TEST(Modules, RefuseAnInputOfAnotherTapeAndAStaleOne) {
  Tape<float> tape;
  const Linear layer(tape, zeros({3, 2}), zeros({2}));
  Tape<float> other;
  EXPECT_NE(refusal([&] { layer.express(other.input(zeros({4, 3}))); }), "accepted");
  const auto input = tape.input(zeros({4, 3}));
  const Network<float> network = std::move(tape).seal();
  EXPECT_NE(refusal([&] { layer.express(input); }).find("stale"), std::string::npos);
}

TEST(Modules, AreRefusedWithShapesAndPlaceBeforeTheyRecord) {
  Tape<float> tape;
  const std::map<std::string, std::function<void()>> wrong{
      {"[Linear] the weights", [&] { Linear(tape, zeros({3}), zeros({3})); }},
      {"[Linear] the bias", [&] { Linear(tape, zeros({3, 2}), zeros({3})); }},
      {"[Conv2d] the weights", [&] { Conv2d(tape, zeros({3, 2}), zeros({3})); }},
      {"[Conv2d] the bias", [&] { Conv2d(tape, zeros({3, 2, 3, 3}), zeros({2})); }},
      {"[Conv2d] groups", [&] { Conv2d(tape, zeros({3, 2, 3, 3}), zeros({3}), {.groups = 2}); }},
      {"[Conv2d] stride", [&] { Conv2d(tape, zeros({3, 2, 3, 3}), zeros({3}), {.stride = 0}); }},
      {"[BatchNorm] scale", [&] { BatchNorm(tape, zeros({3}), zeros({2}), 1e-5f); }},
      {"[LayerNorm] scale", [&] { LayerNorm(tape, zeros({3, 1}), zeros({3, 1}), 1e-5f); }},
      {"[RmsNorm] the scale", [&] { RmsNorm(tape, zeros({}), 1e-5f); }},
      {"[Embedding] the table", [&] { Embedding(tape, zeros({3})); }},
      {"[RunningStatistics]", [&] { RunningStatistics<float>(tape, 3, 1.5); }},
      {"[Mlp] at least two sizes", [&] { Mlp<float>(tape, {3}, Activation::tanh, Xavier(1)); }},
  };
  for (const auto& [start, construct] : wrong) {
    const std::string message = refusal(construct);
    EXPECT_TRUE(message.starts_with(start)) << message;
    EXPECT_NE(message.find("module_test.cpp:"), std::string::npos) << message;
    EXPECT_EQ(tape.size(), 0u) << start;
  }
}

TEST(Modules, RefuseInputsThatDoNotFitBeforeTheyRecord) {
  Tape<float> tape;
  const Linear linear(tape, zeros({3, 2}), zeros({2}));
  const Conv2d grouped(tape, zeros({2, 1, 3, 3}), zeros({2}), {.groups = 2});
  const BatchNorm batch(tape, zeros({3}), zeros({3}), 1e-5f);
  const LayerNorm layer(tape, zeros({3}), zeros({3}), 1e-5f);
  const RmsNorm rms(tape, zeros({3}), 1e-5f);
  const Dropout<float> dropout(tape, {4, 3});
  const Embedding embedding(tape, zeros({5, 2}));
  const auto row = tape.input(zeros({3}));
  const auto wide = tape.input(zeros({4, 7}));
  const auto image = tape.input(zeros({1, 3, 4, 4}));
  const std::size_t size = tape.size();
  const std::map<std::string, std::function<void()>> wrong{
      {"[Linear] the input must be [rows, 3]", [&] { linear.express(row); }},
      {"[Linear] the input must be [rows, 3]", [&] { linear.express(wide); }},
      {"[conv2d] the input must be", [&] { grouped.express(wide); }},
      {"[conv2d] the weights must have the channels", [&] { grouped.express(image); }},
      {"[BatchNorm] the input must be [batch, 3]", [&] { batch.express(wide); }},
      {"[BatchNorm] mean and variance", [&] { batch.express_with(image, wide, wide); }},
      {"[LayerNorm] the input must be [rows, 3]", [&] { layer.express(row); }},
      {"[RmsNorm] the input must be [rows, 3]", [&] { rms.express(wide); }},
      {"[Dropout] the input must have the mask's shape", [&] { dropout.express(wide); }},
      {"[Embedding] the input must be a selection [count, 5]", [&] { embedding.express(wide); }},
      {"[max_pool] the padding", [&] { MaxPool2d<float>({.size = 3, .padding = 2}).express(image); }},
      {"[average_pool] size and stride", [&] { AveragePool2d<float>({.size = 0}).express(image); }},
      {"[global_average_pool]", [&] { GlobalAveragePool<float>().express(wide); }},
  };
  for (const auto& [start, express] : wrong) {
    const std::string message = refusal(express);
    EXPECT_TRUE(message.starts_with(start)) << message;
    EXPECT_NE(message.find("module_test.cpp:"), std::string::npos) << message;
    EXPECT_EQ(tape.size(), size) << start;
  }
}

TEST(Embedding, RefusesIdsOutsideItsTableWhereverTheyAreGiven) {
  Tape<float> tape;
  const Embedding layer(tape, T({3, 2}, {1, 2, 3, 4, 5, 6}));
  const auto ids = tape.input(layer.selection({0, 2}));
  const auto output = layer.express(ids);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry(output).lower();
  const auto rows = [&](const T& selection) {
    return describe(plan.forward(network.parameters(), {{ids, selection}}).of(output));
  };
  EXPECT_EQ(rows(layer.selection({2, 1})), "[[5, 6], [3, 4]]");
  EXPECT_EQ(rows(T({2, 3}, {0, 1, 0, 1, 0, 0})), "[[3, 4], [1, 2]]")
      << "a dense one-hot matrix means the same";
  for (const std::int64_t id : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const std::string message = refusal([&] { layer.selection({0, id}); });
    EXPECT_NE(message.find(std::to_string(id) + " at row 1 of 2, with 3 classes"), std::string::npos)
        << message;
  }
  EXPECT_NE(refusal([&] { rows(T::selection({0, 3}, 4)); }).find("[2, 4]"), std::string::npos);
  EXPECT_NE(refusal([&] { rows(T({2, 3}, {0, 1, 0, 0, 0, 0})); }).find("row 1"), std::string::npos);
  EXPECT_NE(refusal([&] { rows(T({2, 3}, {0, 1, 0, 1, 1, 0})); }).find("row 1"), std::string::npos);
  EXPECT_NE(refusal([&] { rows(T({2, 3}, {0, 1, 0, 0, 0.5f, 0})); }).find("row 1"), std::string::npos);
}

TEST(Activation, GainsAreThoseOfTanhAndRelu) {
  EXPECT_EQ(gain(Activation::tanh), 5.0 / 3.0);
  EXPECT_EQ(gain(Activation::relu), std::sqrt(2.0));
  EXPECT_THROW(gain(Activation::gelu), UsageError);
}

}  // namespace
}  // namespace topos
