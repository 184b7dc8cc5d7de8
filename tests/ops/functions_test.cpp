// Every recording function on small tensors: what to write, and what comes out.
#include "topos/ops/functions.hpp"

#include <gtest/gtest.h>

#include "topos/graph/value.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

TEST(Functions, OfElements) {
  const T x({3}, {1, -2, 0.5f}), y({3}, {2, 4, 0.5f});
  EXPECT_EQ(describe(add(x, y)), "[3, 2, 1]");
  EXPECT_EQ(describe(subtract(x, y)), "[-1, -6, 0]");
  EXPECT_EQ(describe(multiply(x, y)), "[2, -8, 0.25]");
  EXPECT_EQ(describe(divide(x, y)), "[0.5, -0.5, 1]");
  EXPECT_EQ(describe(negate(x)), "[-1, 2, -0.5]");
  EXPECT_EQ(describe(maximum(x, y)), "[2, 4, 0.5]");
  EXPECT_EQ(describe(step(x, y)), "[0, 0, 1]");
  EXPECT_EQ(describe(pow(y, T({3}, {3, 0.5f, -1}))), "[8, 2, 2]");
  EXPECT_EQ(describe(sqrt(y * y)), "[2, 4, 0.5]");
  // The operators are the same operations.
  EXPECT_TRUE(same_bits(x * y - x / y + -x, add(subtract(multiply(x, y), divide(x, y)), negate(x))));
}

TEST(Functions, ThatAreTranscendental) {
  // Correctly rounded: the float nearest to the value in the comment.
  const T one(1.0f);
  EXPECT_EQ(exp(one).item(), 0x1.5bf0a8p+1f);                 // 2.718281828...
  EXPECT_EQ(expm1(one).item(), 0x1.b7e152p+0f);               // 1.718281828...
  EXPECT_EQ(log(T(2.0f)).item(), 0x1.62e43p-1f);              // 0.693147180...
  EXPECT_EQ(log1p(one).item(), 0x1.62e43p-1f);                // the same
  EXPECT_EQ(tanh(one).item(), 0x1.85efacp-1f);                // 0.761594155...
  EXPECT_EQ(sin(one).item(), 0x1.aed548p-1f);                 // 0.841470984...
  EXPECT_EQ(cos(one).item(), 0x1.14a28p-1f);                  // 0.540302305...
  EXPECT_EQ(erf(one).item(), 0x1.af767ap-1f);                 // 0.842700792...
  EXPECT_EQ(erf_derivative(T(0.0f)).item(), 0x1.20dd76p+0f);  // 2/sqrt(pi) = 1.128379167...
}

TEST(Functions, ThatMultiplyAndReduce) {
  const T a({2, 3}, {1, 2, 3, 4, 5, 6}), b({3, 1}, {1, 0, -1});
  EXPECT_EQ(describe(matmul(a, b)), "[[-2], [-2]]");
  EXPECT_EQ(describe(sum(a)), "21");
  EXPECT_EQ(describe(sum_along(a, 0)), "[5, 7, 9]");
  EXPECT_EQ(describe(sum_along(a, 1)), "[6, 15]");
  const T even({2}, {0, 0});
  EXPECT_EQ(logsumexp(even, 0).item(), log(T(2.0f)).item());
  EXPECT_TRUE(same_bits(log_softmax(even, 0), negate(log(T({2}, {2, 2})))));
}

TEST(Functions, ThatMoveElements) {
  const T x({2, 3}, {1, 2, 3, 4, 5, 6}), line({5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(describe(broadcast(T(7.0f), {2, 2})), "[[7, 7], [7, 7]]");
  EXPECT_EQ(describe(broadcast_along(T({2}, {1, 2}), 0, 3)), "[[1, 2], [1, 2], [1, 2]]");
  EXPECT_EQ(describe(reshape(x, {3, 2})), "[[1, 2], [3, 4], [5, 6]]");
  EXPECT_EQ(describe(permute(x, {1, 0})), "[[1, 4], [2, 5], [3, 6]]");
  EXPECT_EQ(describe(narrow(x, 1, 1, 2)), "[[2, 3], [5, 6]]");
  EXPECT_EQ(describe(pad(T({2}, {1, 2}), 0, 1, 4)), "[0, 1, 2, 0]");
  EXPECT_EQ(describe(unfold(line, 0, 3, 2)), "[[1, 2, 3], [3, 4, 5]]");
  EXPECT_EQ(describe(unfold(line, 0, 2, 1, 3)), "[[1, 4], [2, 5]]");  // elements 3 apart
  EXPECT_EQ(describe(fold(unfold(line, 0, 3, 2), 0, 3, 2, 1, 5)), "[1, 2, 6, 4, 5]");
}

TEST(Functions, ThatSelectRows) {
  const T table({3, 2}, {1, 2, 3, 4, 5, 6});
  const T ids = T::selection({2, 0, 2}, 3);
  EXPECT_EQ(describe(gather(table, ids)), "[[5, 6], [1, 2], [5, 6]]");
  EXPECT_EQ(describe(scatter(T({3, 1}, {1, 10, 100}), ids)), "[[10], [0], [101]]");
}

}  // namespace
}  // namespace topos
