// The rule of every sum: 16 partial sums inside blocks of 4096, folded as trees.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/composites/axes.hpp"
#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos {
namespace {

using testing::contract_sum;
using testing::scattered;

template <class E>
E rule(const std::vector<E>& elements) {
  return reference::sum(elements.data(), static_cast<Extent>(elements.size()));
}

template <class E>
void expect_contract(const std::vector<E>& elements) {
  EXPECT_EQ(bits_of(rule(elements)), bits_of(contract_sum(elements))) << elements.size() << " elements";
}

TEST(SumRule, IsTheContractsAtEveryLengthAroundLanesAndBlocks) {
  for (Extent count = 0; count <= 100; ++count) expect_contract(scattered<float>(count));
  for (Extent count = 4080; count <= 4130; ++count) expect_contract(scattered<float>(count));
  for (const Extent count : {8191, 8192, 8193, 65535, 65536, 65537, 200000}) {
    expect_contract(scattered<float>(count));
    expect_contract(scattered<double>(count));
  }
}

TEST(SumRule, SumsBlockSumsByTheSameRule) {
  // 4097 blocks: the sums of blocks are themselves more than a block.
  expect_contract(scattered<float>(4096 * 4096 + 3));
}

TEST(SumRule, IsNeitherARunningSumNorPairwise) {
  // Element 16 joins element 0 in lane 0 before any other lane does: 1 + 2^-24 rounds to 1 there, twice.
  std::vector<float> elements(33, 0.0f);
  elements[0] = 1.0f;
  elements[16] = elements[32] = 0x1p-24f;
  EXPECT_EQ(rule(elements), 1.0f);
  elements[32] = 0.0f;
  elements[1] = 0x1p-24f;  // another lane, another addition, again rounded to 1
  EXPECT_EQ(rule(elements), 1.0f);
  // Two in one lane beside the 1 add up before they meet it.
  elements.assign(33, 0.0f);
  elements[0] = 1.0f;
  elements[1] = elements[17] = 0x1p-24f;
  EXPECT_EQ(rule(elements), 1.0f + 0x1p-23f);
}

TEST(SumRule, OfAStridedLineIsThatOfTheLineAlone) {
  const std::vector<float> table = scattered<float>(5000 * 3);
  for (std::size_t column = 0; column < 3; ++column) {
    std::vector<float> line;
    for (std::size_t i = column; i < table.size(); i += 3) line.push_back(table[i]);
    EXPECT_EQ(bits_of(reference::sum(table.data() + column, 5000, 3)), bits_of(rule(line)));
  }
}

TEST(SumRule, IsUnchangedByTrailingZeros) {
  for (const Extent count : {1, 5, 16, 17, 100, 4095, 4096, 4097, 9000}) {
    std::vector<float> elements = scattered<float>(count);
    const float alone = rule(elements);
    for (const std::size_t longer :
         {elements.size() + 1, std::size_t{4096}, std::size_t{8200}, std::size_t{70000}}) {
      if (longer < elements.size()) continue;
      elements.resize(longer, 0.0f);
      EXPECT_EQ(bits_of(rule(elements)), bits_of(alone)) << count << " elements in " << longer;
    }
  }
}

TEST(SumRule, StartsFromPlusZero) {
  EXPECT_EQ(bits_of(rule(std::vector<float>{})), bits_of(0.0f));
  EXPECT_EQ(bits_of(rule(std::vector<float>(20, -0.0f))), bits_of(0.0f));
}

TEST(SumRule, DoesNotStopAtTwoToTheTwentyFour) {
  constexpr Extent ones = 17 << 20;
  EXPECT_EQ(sum(Tensor<float>::filled({ones}, 1.0f)).item(), 17825792.0f);
  EXPECT_EQ(describe(sum_along(Tensor<float>::filled({ones / 4, 4}, 1.0f), 0)),
            "[4456448, 4456448, 4456448, 4456448]");
  EXPECT_EQ(describe(sum_along(Tensor<float>::filled({4, ones / 4}, 1.0f), 1)),
            "[4456448, 4456448, 4456448, 4456448]");
  // The exact sum is 3921.56890; a running sum in f32 gives 3909.23.
  EXPECT_NEAR(sum(Tensor<float>::filled({1000000}, 1.0f / 255.0f)).item(), 3921.5689, 0.01);
}

TEST(Mean, PastTwoToTheTwentyFourElementsDividesByTheCountAndNotByItsRounding) {
  constexpr Extent count = (1 << 24) + 1;
  std::vector<float> elements(static_cast<std::size_t>(count), 0.0f);
  elements[0] = 16777215.0f;
  EXPECT_EQ(mean_along(Tensor<float>({count}, std::move(elements)), 0).item(), 0.99999988f);
}

TEST(ReduceAlong, HandsEachLineToTheReduction) {
  const Tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto last = [](const float* line, Extent count, Extent stride) { return line[(count - 1) * stride]; };
  EXPECT_EQ(describe(reference::reduce_along(x, 0, last)), "[4, 5, 6]");
  EXPECT_EQ(describe(reference::reduce_along(x, 1, last)), "[3, 6]");
}

}  // namespace
}  // namespace topos
