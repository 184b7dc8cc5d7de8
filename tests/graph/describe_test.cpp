// Recorded programs as text, against captured ones.
#include <gtest/gtest.h>

#include <functional>

#include "support/golden_blocks.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/axes.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/graph/network.hpp"
#include "topos/ops/functions.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

TEST(Describe, ListsSourcesAndInfersShapes) {
  Tape<float> scalars;
  const auto offset = scalars.leaf(T(1.0f));
  const auto slope = scalars.parameter(T(2.0f));
  const auto at = scalars.input(T(3.0f));
  tanh(slope * at + offset);

  Tape<float> layer;
  const auto input = layer.input(zeros({3, 2}));
  const auto weights = layer.parameter(zeros({2, 4}));
  const auto bias = layer.parameter(zeros({4}));
  const auto product = matmul(input, weights);
  sum_along(tanh(product + broadcast_along(bias, 0, 3)), 1);

  EXPECT_EQ(scalars.describe() + "\n" + layer.describe(),
            testing::golden_text("describe/rec_sources_and_shapes.txt"));
}

TEST(Describe, CallsASealedTapeANetwork) {
  Tape<double> tape;
  const auto a = tape.parameter(Tensor<double>(0.5));
  const auto b = tape.input(Tensor<double>(2.0));
  const auto c = tape.input(Tensor<double>(3.0));
  const auto error = a * b - c;
  error* error;
  EXPECT_EQ(std::move(tape).seal().describe(), testing::golden_text("describe/start_spec.txt"));
}

TEST(Describe, ShowsARecordedDerivativeAsMoreNodes) {
  Tape<float> tape;
  const auto weights = tape.parameter(zeros({2, 2}));
  const auto input = tape.input(zeros({1, 2}));
  const auto hidden = tanh(matmul(input, weights));
  const auto loss = sum(hidden * hidden);
  tape.differentiate(loss, {weights});
  EXPECT_EQ(std::move(tape).seal().describe(), testing::golden_text("describe/walk_derivative.txt"));
}

TEST(Describe, CountsWithTheRightNoun) {
  Tape<float> tape;
  EXPECT_EQ(tape.describe(), "tape: 0 nodes, 0 parameters, 0 inputs\n");
  tape.leaf(T(1.0f));
  EXPECT_EQ(tape.describe(),
            "   0  Leaf                              []\ntape: 1 node, 0 parameters, 0 inputs\n");
}

/// What each titled block of composites.txt records. The file is the capture, but for max_pool, whose maxima
/// have their operands in the other order, as a remark there says.
const std::map<std::string, std::function<void(Tape<float>&)>> composites{
    {"abs, relu",
     [](auto& tape) {
       const auto x = tape.input(zeros({3}));
       abs(x);
       relu(x);
     }},
    {"softplus", [](auto& tape) { softplus(tape.input(zeros({3}))); }},
    {"gelu", [](auto& tape) { gelu(tape.input(zeros({3}))); }},
    {"softmax, mean_along, transpose, unsqueeze, squeeze",
     [](auto& tape) {
       const auto x = tape.input(zeros({2, 3}));
       softmax(x, 1);
       mean_along(x, 0);
       transpose(x);
       squeeze(unsqueeze(x, 1), 1);
     }},
    {"broadcast_like, broadcast_along_like",
     [](auto& tape) {
       const auto x = tape.input(zeros({2, 3}));
       const auto one = tape.leaf(T(1.0f));
       const auto row = tape.leaf(zeros({3}));
       broadcast_like(one, x);
       broadcast_along_like(row, 0, x);
     }},
    {"broadcast_to: same shape; single element; prepend; interior; several",
     [](auto& tape) {
       broadcast_to(tape.input(zeros({2, 3})), {2, 3});
       broadcast_to(tape.leaf(zeros({1})), {2, 3});
       broadcast_to(tape.leaf(zeros({3})), {2, 3});
       broadcast_to(tape.leaf(zeros({2, 1, 2})), {2, 3, 2});
       broadcast_to(tape.leaf(zeros({1, 3})), {2, 2, 3});
     }},
    {"concat of 1, of 3; stack of 2",
     [](auto& tape) {
       const auto a = tape.input(zeros({2, 1}));
       const auto b = tape.input(zeros({2, 2}));
       const auto c = tape.input(zeros({2, 3}));
       concat(std::vector{a}, 1);
       concat(std::vector{a, b, c}, 1);
       stack(std::vector{a, tape.input(zeros({2, 1}))}, 0);
     }},
    {"literal operands: value * 2.0, 2.0 - value, value / tensor",
     [](auto& tape) {
       const auto scalar = tape.parameter(T(1.0f));
       scalar * 2.0f;
       2.0f - scalar;
       const auto vector = tape.input(zeros({2}));
       vector / T({2}, {1, 2});
       T({2}, {1, 2}) * vector;
     }},
    {"conv2d stride 1 padding 1",
     [](auto& tape) {
       const auto image = tape.input(zeros({1, 1, 6, 6}));
       const auto weights = tape.parameter(zeros({2, 1, 3, 3}));
       conv2d(image, weights, tape.parameter(zeros({2})), 1, 1);
     }},
    {"conv2d stride 1 padding 0",
     [](auto& tape) {
       const auto image = tape.input(zeros({1, 1, 6, 6}));
       const auto weights = tape.parameter(zeros({2, 1, 3, 3}));
       conv2d(image, weights, tape.parameter(zeros({2})), 1, 0);
     }},
    {"max_pool 2/2", [](auto& tape) { max_pool(tape.input(zeros({1, 1, 4, 4})), 2, 2); }},
    {"cross_entropy",
     [](auto& tape) {
       const auto logits = tape.input(zeros({4, 3}));
       cross_entropy(logits, tape.input(zeros({4, 3})));
     }},
    {"scaled_dot_product",
     [](auto& tape) {
       const auto q = tape.input(zeros({4, 8}));
       const auto k = tape.input(zeros({4, 8}));
       const auto v = tape.input(zeros({4, 8}));
       const auto mask = tape.leaf(causal_mask<float>(4));
       scaled_dot_product(q, k, v, mask, tape.leaf(T(0.5f)));
     }},
};

TEST(Composites, RecordTheCapturedNodes) {
  const auto blocks = testing::golden_blocks("composites.txt");
  EXPECT_EQ(blocks.size(), composites.size());
  for (const auto& [title, record] : composites) {
    ASSERT_TRUE(blocks.contains(title)) << title;
    Tape<float> tape;
    record(tape);
    EXPECT_EQ(tape.describe(), blocks.at(title)) << title;
  }
}

TEST(Composites, RefuseWrongShapesBeforeTheyRecordAnything) {
  Tape<float> tape;
  const auto matrix = tape.input(zeros({2, 3}));
  const auto cube = tape.input(zeros({2, 3, 4}));
  const auto image = tape.input(zeros({1, 2, 6, 6}));
  const auto filters = tape.input(zeros({4, 2, 3, 3}));
  const auto bias = tape.input(zeros({4}));
  const std::size_t size = tape.size();
  const std::map<std::string, std::function<void()>> wrong{
      {"[transpose]", [&] { transpose(cube); }},
      {"[unsqueeze]", [&] { unsqueeze(matrix, 3); }},
      {"[squeeze]", [&] { squeeze(matrix, 0); }},
      {"[broadcast_to]", [&] { broadcast_to(matrix, {2, 4}); }},
      {"[broadcast_along_like]", [&] { broadcast_along_like(bias, 0, matrix); }},
      {"[concat]", [&] { concat(std::vector{matrix, cube}, 0); }},
      {"[cross_entropy]", [&] { cross_entropy(matrix, bias); }},
      {"[conv2d]", [&] { conv2d(image, filters, matrix, 1, 0); }},
      {"[max_pool]", [&] { max_pool(image, 0, 1); }},
      // Left to the operation that a composite begins with.
      {"[SumAlong axis=2]", [&] { mean_along(matrix, 2); }},
      {"[Unfold axis=2 size=7 step=1 dilation=1]", [&] { max_pool(image, 7, 1); }},
  };
  for (const auto& [name, record] : wrong) {
    try {
      record();
      ADD_FAILURE() << name << " accepted";
    } catch (const ShapeError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(name)) << message;
      EXPECT_NE(message.find("describe_test.cpp:"), std::string::npos) << message;
    }
    EXPECT_EQ(tape.size(), size) << name;
  }
}

}  // namespace
}  // namespace topos
