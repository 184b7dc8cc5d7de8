// What each layer records: the captured nodes, and those of the same layer written by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/golden_blocks.hpp"
#include "topos/composites/losses.hpp"
#include "topos/graph/network.hpp"
#include "topos/nn/attention.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/convolution.hpp"
#include "topos/nn/dropout.hpp"
#include "topos/nn/embedding.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/mlp.hpp"
#include "topos/nn/pooling.hpp"
#include "topos/nn/rms_norm.hpp"
#include "topos/nn/running_statistics.hpp"
#include "topos/nn/sequential.hpp"

namespace topos {
namespace {

using T = Tensor<float>;
using Recording = std::function<void(Tape<float>&)>;
using V = Value<float>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

struct Zeros {
  template <class E>
  Tensor<E> tensor(const Shape& shape) {
    return Tensor<E>::filled(shape, E(0));
  }
};

void perceptron(Tape<float>& tape, Activation activation) {
  const Mlp<float> model(tape, {2, 4, 1}, activation, Zeros());
  model.express(tape.input(zeros({2, 2})));
}

const std::map<std::string, Recording> captured{
    {"linear",
     [](auto& tape) {
       const Linear layer(tape, zeros({3, 2}), zeros({2}));
       layer.express(tape.input(zeros({4, 3})));
     }},
    {"mlp [2,4,1] tanh", [](auto& tape) { perceptron(tape, Activation::tanh); }},
    {"mlp [2,4,1] relu", [](auto& tape) { perceptron(tape, Activation::relu); }},
    {"batch_norm training",
     [](auto& tape) {
       const BatchNorm layer(tape, zeros({2}), zeros({2}), 1e-5f);
       layer.express(tape.input(zeros({3, 2})));
     }},
    {"batch_norm inference",
     [](auto& tape) {
       const BatchNorm layer(tape, zeros({2}), zeros({2}), 1e-5f);
       const V x = tape.input(zeros({3, 2}));
       const V mean = tape.input(zeros({2}));
       const V variance = tape.input(zeros({2}));
       layer.express_with(x, mean, variance);
     }},
    {"layer_norm",
     [](auto& tape) {
       const LayerNorm layer(tape, zeros({2}), zeros({2}), 1e-5f);
       layer.express(tape.input(zeros({3, 2})));
     }},
    {"rms_norm",
     [](auto& tape) {
       const RmsNorm layer(tape, zeros({2}), 1e-5f);
       layer.express(tape.input(zeros({3, 2})));
     }},
    {"dropout",
     [](auto& tape) {
       const Dropout<float> layer(tape, {2, 3});
       layer.express(tape.input(zeros({2, 3})));
     }},
    {"embedding",
     [](auto& tape) {
       const Embedding layer(tape, zeros({5, 2}));
       layer.express(tape.input(layer.selection({0, 4})));
     }},
};

std::string described(const Recording& record) {
  Tape<float> tape;
  record(tape);
  return tape.describe();
}

TEST(Facades, RecordTheCapturedNodes) {
  const auto blocks = testing::golden_blocks("../facades/recorded.txt");
  EXPECT_EQ(blocks.size(), captured.size());
  for (const auto& [title, record] : captured) {
    ASSERT_TRUE(blocks.contains(title)) << title;
    EXPECT_EQ(described(record), blocks.at(title)) << title;
  }
}

V divided_by(const V& total, float count) { return total / T::filled(total.shape(), count); }

/// The mean and the centered rows of x along an axis.
std::pair<V, V> centered(const V& x, Axis axis) {
  const V mean = divided_by(sum_along(x, axis), static_cast<float>(x.shape()[axis]));
  return {mean, x - broadcast_along(mean, axis, x.shape()[axis])};
}

V standardized(const V& x, const V& variance, Axis axis, const V& epsilon) {
  const V spread = broadcast(epsilon, variance.shape());
  const V deviation = sqrt(variance + spread);
  return x / broadcast_along(deviation, axis, x.shape()[axis]);
}

V affine(const V& x, const V& scale, const V& shift) {
  const V scaled = x * broadcast_along(scale, 0, x.shape()[0]);
  return scaled + broadcast_along(shift, 0, x.shape()[0]);
}

V normalized(const V& x, Axis axis, const V& scale, const V& shift, const V& epsilon) {
  const auto [mean, difference] = centered(x, axis);
  const V squares = sum_along(difference * difference, axis);
  const V variance = divided_by(squares, static_cast<float>(x.shape()[axis]));
  return affine(standardized(difference, variance, axis, epsilon), scale, shift);
}

/// The same program by a layer and by hand.
struct Pair {
  Recording facade;
  Recording by_hand;
};

const std::map<std::string, Pair> pairs{
    {"linear",
     {captured.at("linear"),
      [](auto& tape) {
        const V weights = tape.parameter(zeros({3, 2}));
        const V bias = tape.parameter(zeros({2}));
        const V product = matmul(tape.input(zeros({4, 3})), weights);
        product + broadcast_along(bias, 0, 4);
      }}},
    {"linear over more axes, without a bias",
     {[](auto& tape) {
        const Linear layer(tape, zeros({3, 2}));
        layer.express(tape.input(zeros({4, 5, 3})));
      },
      [](auto& tape) {
        const V weights = tape.parameter(zeros({3, 2}));
        const V rows = reshape(tape.input(zeros({4, 5, 3})), {20, 3});
        reshape(matmul(rows, weights), {4, 5, 2});
      }}},
    {"mlp, and sequential",
     {[](auto& tape) { perceptron(tape, Activation::gelu); },
      [](auto& tape) {
        const Linear first(tape, zeros({2, 4}), zeros({4}));
        const Linear second(tape, zeros({4, 1}), zeros({1}));
        const auto model = Sequential<float>().then(first).then(Activation::gelu).then(second);
        model.express(tape.input(zeros({2, 2})));
      }}},
    {"activations",
     {[](auto& tape) {
        Sequential<float> model;
        for (const Activation activation :
             {Activation::tanh, Activation::relu, Activation::softplus, Activation::gelu})
          model.then(activation);
        model.express(tape.input(zeros({3})));
      },
      [](auto& tape) { gelu(softplus(relu(tanh(tape.input(zeros({3})))))); }}},
    {"conv2d",
     {[](auto& tape) {
        const Conv2d layer(tape, zeros({2, 1, 3, 3}), zeros({2}), {.padding = 1});
        layer.express(tape.input(zeros({1, 1, 6, 6})));
      },
      [](auto& tape) {
        const V weights = tape.parameter(zeros({2, 1, 3, 3}));
        const V bias = tape.parameter(zeros({2}));
        const V padded = pad(pad(tape.input(zeros({1, 1, 6, 6})), 2, 1, 8), 3, 1, 8);
        const V windows = unfold(unfold(padded, 2, 3, 1), 4, 3, 1);
        const V patches = reshape(permute(windows, {0, 2, 4, 1, 3, 5}), {36, 9});
        const V matrix = reshape(permute(weights, {1, 2, 3, 0}), {9, 2});
        const V product = matmul(patches, matrix);
        const V biased = product + broadcast_along(bias, 0, 36);
        permute(reshape(biased, {1, 6, 6, 2}), {0, 3, 1, 2});
      }}},
    {"grouped conv2d",
     {[](auto& tape) {
        const Conv2d layer(tape, zeros({4, 1, 3, 3}), zeros({4}), {.stride = 2, .groups = 2});
        layer.express(tape.input(zeros({1, 2, 5, 5})));
      },
      [](auto& tape) {
        const V weights = tape.parameter(zeros({4, 1, 3, 3}));
        const V bias = tape.parameter(zeros({4}));
        const V windows = unfold(unfold(tape.input(zeros({1, 2, 5, 5})), 2, 3, 2), 4, 3, 2);
        const V parted = permute(reshape(windows, {1, 2, 1, 2, 3, 2, 3}), {1, 0, 3, 5, 2, 4, 6});
        const V patches = reshape(parted, {2, 4, 9});
        const V product = matmul(patches, permute(reshape(weights, {2, 2, 9}), {0, 2, 1}));
        const V biased = product + broadcast_along(reshape(bias, {2, 2}), 1, 4);
        reshape(permute(reshape(biased, {2, 1, 2, 2, 2}), {1, 0, 4, 2, 3}), {1, 4, 2, 2});
      }}},
    {"max pool with padding",
     {[](auto& tape) {
        const MaxPool2d<float> pool({.size = 2, .stride = 2, .padding = 1});
        pool.express(tape.input(zeros({1, 2, 4, 4})));
      },
      [](auto& tape) {
        const V padded = pad(pad(tape.input(zeros({1, 2, 4, 4})), 2, 1, 6), 3, 1, 6);
        const V ones = tape.leaf(T::filled({4, 4}, 1.0f));
        const V border = log(pad(pad(ones, 0, 1, 6), 1, 1, 6));
        max_pool(padded + broadcast_to(border, {1, 2, 6, 6}), 2, 2);
      }}},
    {"average pools and flatten",
     {[](auto& tape) {
        const V x = tape.input(zeros({1, 2, 4, 4}));
        AveragePool2d<float>().express(x);
        GlobalAveragePool<float>().express(x);
        Flatten<float>().express(x);
      },
      [](auto& tape) {
        const V x = tape.input(zeros({1, 2, 4, 4}));
        const V windows = unfold(unfold(x, 2, 2, 2), 4, 2, 2);
        const V lanes = reshape(permute(windows, {0, 1, 2, 4, 3, 5}), {1, 2, 2, 2, 4});
        divided_by(sum_along(lanes, 4), 4);
        divided_by(sum_along(reshape(x, {1, 2, 16}), 2), 16);
        reshape(x, {1, 32});
      }}},
    {"batch norm in training, over images, and its running statistics",
     {[](auto& tape) {
        const BatchNorm layer(tape, zeros({2}), zeros({2}), 1e-5f);
        const RunningStatistics<float> statistics(tape, 2, 0.1);
        statistics.updates(layer.express(tape.input(zeros({3, 2, 4, 5}))));
      },
      [](auto& tape) {
        const V scale = tape.parameter(zeros({2}));
        const V shift = tape.parameter(zeros({2}));
        const V epsilon = tape.leaf(T(1e-5f));
        const V running_mean = tape.parameter(zeros({2}));
        const V running_variance = tape.parameter(zeros({2}));
        const V x = reshape(permute(tape.input(zeros({3, 2, 4, 5})), {0, 2, 3, 1}), {60, 2});
        const auto [mean, difference] = centered(x, 0);
        const V variance = divided_by(sum_along(difference * difference, 0), 60);
        const V output = affine(standardized(difference, variance, 0, epsilon), scale, shift);
        permute(reshape(output, {3, 4, 5, 2}), {0, 3, 1, 2});
        const V unbiased = variance * T::filled({2}, 60.0f / 59.0f);
        const auto average = [](const V& running, const V& batch) {
          const V kept = running * T::filled({2}, 0.9f);
          const V added = batch * T::filled({2}, 0.1f);
          kept + added;
        };
        average(running_mean, mean);
        average(running_variance, unbiased);
      }}},
    {"batch norm in inference",
     {captured.at("batch_norm inference"),
      [](auto& tape) {
        const V scale = tape.parameter(zeros({2}));
        const V shift = tape.parameter(zeros({2}));
        const V epsilon = tape.leaf(T(1e-5f));
        const V x = tape.input(zeros({3, 2}));
        const V mean = tape.input(zeros({2}));
        const V variance = tape.input(zeros({2}));
        affine(standardized(x - broadcast_along(mean, 0, 3), variance, 0, epsilon), scale, shift);
      }}},
    {"layer norm",
     {captured.at("layer_norm"),
      [](auto& tape) {
        const V scale = tape.parameter(zeros({2}));
        const V shift = tape.parameter(zeros({2}));
        const V epsilon = tape.leaf(T(1e-5f));
        normalized(tape.input(zeros({3, 2})), 1, scale, shift, epsilon);
      }}},
    {"rms norm",
     {captured.at("rms_norm"),
      [](auto& tape) {
        const V scale = tape.parameter(zeros({2}));
        const V epsilon = tape.leaf(T(1e-5f));
        const V x = tape.input(zeros({3, 2}));
        const V mean_square = divided_by(sum_along(x * x, 1), 2);
        const V standard = standardized(x, mean_square, 1, epsilon);
        standard* broadcast_along(scale, 0, 3);
      }}},
    {"dropout",
     {captured.at("dropout"),
      [](auto& tape) {
        const V mask = tape.input(T::filled({2, 3}, 1.0f));
        tape.input(zeros({2, 3})) * mask;
      }}},
    {"embedding",
     {captured.at("embedding"),
      [](auto& tape) {
        const V table = tape.parameter(zeros({5, 2}));
        gather(table, tape.input(T::selection({0, 4}, 5)));
      }}},
    {"attention of two heads",
     {[](auto& tape) {
        const Linear query(tape, zeros({4, 4}));
        const Linear key(tape, zeros({4, 4}));
        const Linear value(tape, zeros({4, 4}));
        const Linear output(tape, zeros({4, 4}));
        const MultiHeadAttention layer(query, key, value, output, 2);
        const V x = tape.input(zeros({3, 4}));
        layer.express(x, tape.leaf(causal_mask<float>(3)));
      },
      [](auto& tape) {
        const V query = tape.parameter(zeros({4, 4}));
        const V key = tape.parameter(zeros({4, 4}));
        const V value = tape.parameter(zeros({4, 4}));
        const V output = tape.parameter(zeros({4, 4}));
        const V x = tape.input(zeros({3, 4}));
        const V mask = tape.leaf(causal_mask<float>(3));
        const auto heads = [&](const V& weights) {
          return permute(reshape(matmul(x, weights), {3, 2, 2}), {1, 0, 2});
        };
        const V q = heads(query);
        const V k = heads(key);
        const V v = heads(value);
        const V scale = tape.leaf(T(1.0f / std::sqrt(2.0f)));
        const V scores = matmul(q, permute(k, {0, 2, 1}));
        const V scaled = scores * broadcast(scale, {2, 3, 3});
        const V floor = tape.leaf(T::filled({3, 3}, -1e30f));
        const V finite = broadcast_to(maximum(mask, floor), {2, 3, 3});
        const V probabilities = exp(log_softmax(scaled + finite, 2));
        const V seen = broadcast_to(step(mask, floor), {2, 3, 3});
        const V attended = matmul(probabilities * seen, v);
        matmul(reshape(permute(attended, {1, 0, 2}), {3, 4}), output);
      }}},
    {"losses",
     {[](auto& tape) {
        const V logits = tape.input(zeros({4, 3}));
        const V targets = tape.input(zeros({4, 3}));
        cross_entropy(logits, targets, {.smoothing = 0.25, .ignored = 1});
        mean_squared_error(logits, targets);
      },
      [](auto& tape) {
        const V logits = tape.input(zeros({4, 3}));
        const V targets = tape.input(zeros({4, 3}));
        const V share = tape.leaf(T::filled({4, 3}, 0.75f));
        const V even = tape.leaf(T::filled({4, 3}, 0.25f / 3.0f));
        const V weights = targets * share + even;
        const V losses = -sum_along(weights * log_softmax(logits, 1), 1);
        const V dropped = reshape(narrow(targets, 1, 1, 1), {4});
        const V kept = T::filled({4}, 1.0f) - dropped;
        const V total = sum(losses * kept);
        const V count = sum(kept);
        total / maximum(count, 1.0f);
        const V error = logits - targets;
        divided_by(sum(error * error), 12);
      }}},
};

TEST(Facades, RecordWhatAHandRolledLayerRecords) {
  for (const auto& [title, pair] : pairs) EXPECT_EQ(described(pair.facade), described(pair.by_hand)) << title;
}

TEST(Facades, OfNoStagesAreTheInputItself) {
  Tape<float> tape;
  const V x = tape.input(zeros({2, 2}));
  EXPECT_EQ(Sequential<float>().express(x).symbol(), x.symbol());
  EXPECT_EQ(tape.size(), 1u);
}

}  // namespace
}  // namespace topos
