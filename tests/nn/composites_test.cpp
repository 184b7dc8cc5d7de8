// Compositions on tensors: what a module computes, without a tape.
#include <gtest/gtest.h>

#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/composites/normalization.hpp"
#include "topos/composites/pooling.hpp"
#include "topos/composites/rotary.hpp"
#include "topos/nn/activation.hpp"
#include "topos/nn/pooling.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

TEST(Composites, MoveAddRemoveAndJoinAxes) {
  const T x({2, 3}, {1, 2, 3, 4, 5, 6}), pair({2}, {7, 8});
  EXPECT_EQ(describe(mean_along(x, 0)), "[2.5, 3.5, 4.5]");
  EXPECT_EQ(describe(mean(x)), "3.5");
  EXPECT_EQ(describe(transpose(x)), "[[1, 4], [2, 5], [3, 6]]");
  EXPECT_EQ(describe(unsqueeze(pair, 0)), "[[7, 8]]");
  EXPECT_EQ(describe(squeeze(unsqueeze(pair, 1), 1)), "[7, 8]");
  EXPECT_EQ(describe(broadcast_like(T(9.0f), pair)), "[9, 9]");
  EXPECT_EQ(describe(broadcast_along_like(pair, 1, x)), "[[7, 7, 7], [8, 8, 8]]");
  EXPECT_EQ(describe(broadcast_to(unsqueeze(pair, 1), {2, 3})), "[[7, 7, 7], [8, 8, 8]]");
  EXPECT_EQ(describe(concat(std::vector<T>{pair, T({1}, {9})}, 0)), "[7, 8, 9]");
  EXPECT_EQ(describe(stack(std::vector<T>{pair, pair}, 1)), "[[7, 7], [8, 8]]");
}

TEST(Composites, ConvolveByWindows) {
  const T image({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const T corner({1, 1, 2, 2}, {1, 0, 0, -1});
  EXPECT_EQ(describe(conv2d(image, corner, T({1}, {10}), 1, 0)), "[[[[6, 6]]]]");
  // Two groups: each filter reads a channel of its own.
  const T both = concat(std::vector<T>{image, negate(image)}, 1);
  const T kernels = concat(std::vector<T>{corner, corner}, 0);
  EXPECT_EQ(describe(conv2d(both, kernels, T({2}, {0, 0}), 1, 0, 1, 2)), "[[[[-4, -4]], [[4, 4]]]]");
}

TEST(Composites, AttendToWhatTheMaskLeaves) {
  EXPECT_EQ(describe(causal_mask<float>(2, -9.0f)), "[[0, -9], [0, 0]]");
  EXPECT_EQ(describe(causal_mask<float>(1, 3, 1, -9.0f)), "[[0, 0, -9]]");  // the second of three places
  const T q({2, 1}, {0, 0}), k({2, 1}, {1, 1}), v({2, 1}, {4, 8}), scale(1.0f);
  // Equal scores: the first query sees the first value, the second the mean of both.
  EXPECT_EQ(describe(scaled_dot_product(q, k, v, causal_mask<float>(2), scale)), "[[4], [6]]");
  const T hidden = broadcast_to(T(ElementTraits<float>::negative_infinity()), {2, 2});
  EXPECT_EQ(describe(masked_attention(q, k, v, hidden, scale)), "[[0], [0]]");
  const T x({1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(describe(split_heads(x, 2)), "[[[1, 2]], [[3, 4]]]");
  EXPECT_TRUE(same_bits(merge_heads(split_heads(x, 2)), x));
}

TEST(Composites, TurnPairsByThePosition) {
  const RotaryTables<float> tables = rotary_tables<float>(0, 2, 2);
  EXPECT_EQ(tables.cosines.elements()[1], cos(T(1.0f)).item());
  const T x({2, 2}, {1, 0, 1, 0});
  const T turned = rotary(x, tables.cosines, tables.sines, RotaryPairs::halves);
  EXPECT_TRUE(same_bits(narrow(turned, 0, 0, 1), T({1, 2}, {1, 0})));  // position 0
  EXPECT_TRUE(same_bits(narrow(turned, 0, 1, 1), T({1, 2}, {cos(T(1.0f)).item(), sin(T(1.0f)).item()})));
}

TEST(Composites, MeasureHowWrongAModelIs) {
  const T even({2, 4}, {0, 0, 0, 0, 5, 5, 5, 5});
  const T targets = T::selection({3, 1}, 4);
  const float ln4 = log(T(4.0f)).item();  // the entropy of four equal chances
  EXPECT_EQ(cross_entropy(even, targets).item(), ln4);
  EXPECT_EQ(cross_entropy(even, targets, CrossEntropy{.smoothing = 0.5}).item(), ln4);
  EXPECT_EQ(cross_entropy(even, targets, CrossEntropy{.ignored = 1}).item(), ln4);
  EXPECT_EQ(describe(mean_squared_error(T({2}, {1, 5}), T({2}, {3, 4}))), "2.5");
}

TEST(Composites, NormalizeRows) {
  const T x({1, 2}, {1, 3}), scale({2}, {10, 10}), shift({2}, {0, 1});
  EXPECT_EQ(describe(layer_norm(x, scale, shift, T(0.0f), Centering::once)), "[[-10, 11]]");
  EXPECT_EQ(describe(rms_norm(T({1, 2}, {3, 3}), scale, T(0.0f))), "[[10, 10]]");
}

TEST(Composites, PoolWindowsAndWholeChannels) {
  const T image({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(describe(max_pool(image, 2, 2)), "[[[[6, 8]]]]");
  EXPECT_EQ(describe(average_pool(image, 2, 2)), "[[[[3.5, 5.5]]]]");
  EXPECT_EQ(describe(average_pool(image, 2, 2, 1)), "[[[[0.25, 1.25, 1], [1.25, 3.25, 2]]]]");
  EXPECT_EQ(describe(global_average_pool(image)), "[[4.5]]");
  const PoolOptions options;  // what a MaxPool2d has by default
  EXPECT_EQ(describe(max_pool(image, options.size, options.stride, options.padding)), "[[[[6, 8]]]]");
}

TEST(Composites, NormalizeABatchByItsOwnStatisticsOrByOthers) {
  const T x({2, 2}, {1, 10, 3, 30});
  const T scale({2}, {1, 2}), shift({2}, {0, 5}), epsilon(0.0f);
  const Normalization<T> batch = batch_norm(x, scale, shift, epsilon);
  EXPECT_EQ(describe(batch.output), "[[-1, 3], [1, 7]]");
  EXPECT_EQ(describe(batch.mean), "[2, 20]");
  EXPECT_EQ(describe(batch.variance), "[1, 100]");
  EXPECT_EQ(batch.rows, 2);
  const T other = batch_norm_with(x, T({2}, {0, 10}), T({2}, {4, 25}), scale, shift, epsilon);
  EXPECT_EQ(describe(other), "[[0.5, 5], [1.5, 13]]");
}

TEST(Composites, ActivateByName) {
  const T x({3}, {-1, 0, 2});
  EXPECT_EQ(describe(abs(x)), "[1, 0, 2]");
  EXPECT_EQ(describe(softmax(T({2}, {3, 3}), 0)), "[0.5, 0.5]");
  EXPECT_EQ(describe(activate(Activation::relu, x)), "[0, 0, 2]");
  EXPECT_TRUE(same_bits(activate(Activation::tanh, x), tanh(x)));
  EXPECT_TRUE(same_bits(activate(Activation::softplus, x), softplus(x)));
  EXPECT_TRUE(same_bits(activate(Activation::gelu, x), gelu(x)));
}

}  // namespace
}  // namespace topos
