// Tensors: elements, views that share them, selections.
#include "topos/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/base/error.hpp"
#include "topos/tensor/reference/selection.hpp"

namespace topos {
namespace {

using testing::at;
using testing::equal_bits;
using testing::scattered;
using testing::tabulated;
using Index = std::vector<Extent>;
using Axes = std::vector<Axis>;

template <class Make>
std::string refusal(Make make) {
  try {
    make();
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Tensor, HoldsExactlyItsVolume) {
  EXPECT_EQ(refusal([] { Tensor<float>({2, 3}, {1, 2, 3}); }),
            "a tensor of shape [2, 3] needs 6 elements; got 3");
  EXPECT_EQ(refusal([] { Tensor<float>({0}, {1}); }), "a tensor of shape [0] needs 0 elements; got 1");
  EXPECT_EQ(refusal([] { Tensor<float>({0, 4}, {}); }), "accepted");
  EXPECT_EQ(Tensor<float>().item(), 0.0f);
  EXPECT_EQ(Tensor<float>(2.5f).item(), 2.5f);
  EXPECT_EQ(Tensor<float>({1, 1}, {3.0f}).item(), 3.0f);
}

TEST(Tensor, HasAnItemOnlyWhenItHasOneElement) {
  EXPECT_EQ(refusal([] { Tensor<float>({2}, {1, 2}).item(); }),
            "only a tensor of one element has an item; got shape [2]");
  EXPECT_EQ(refusal([] { Tensor<float>({0}, {}).item(); }),
            "only a tensor of one element has an item; got shape [0]");
}

TEST(Tensor, FilledStoresOneElementHoweverLargeItIs) {
  const auto filled = Tensor<float>::filled({Extent{1} << 40, Extent{1} << 20}, 1.5f);
  EXPECT_TRUE(filled.is_uniform());
  EXPECT_EQ(filled.narrowed_to_one().item(), 1.5f);
  EXPECT_TRUE(equal_bits(Tensor<float>::filled({2, 3}, 7.0f), Tensor<float>({2, 3}, {7, 7, 7, 7, 7, 7})));
  EXPECT_FALSE(Tensor<float>::filled({0}, 7.0f).is_uniform());
  EXPECT_EQ(Tensor<float>::filled({0, 5}, 7.0f).elements().size(), 0u);
}

TEST(Tensor, CopiesAndViewsShareTheElements) {
  const auto x = scattered<float>(Shape({6, 4}));
  const float* first = x.elements().data();
  const Tensor<float> copy = x;
  EXPECT_EQ(copy.elements().data(), first);
  EXPECT_EQ(x.reshaped({3, 8}).elements().data(), first);
  EXPECT_EQ(x.narrowed(0, 2, 3).elements().data(), first + 8);
  EXPECT_EQ(x.reshaped({1, 24}).narrowed(1, 5, 7).elements().data(), first + 5);
  EXPECT_EQ(x.permuted(Axes{1, 0}).permuted(Axes{1, 0}).elements().data(), first);
  EXPECT_EQ(x.broadcast_along(0, 1).elements().data(), first);
}

TEST(Tensor, ElementsOutliveTheTensorTheyCameFrom) {
  auto x = std::make_unique<Tensor<float>>(scattered<float>(Shape({5, 3})));
  const Elements<float> shared = x->narrowed(0, 1, 2).elements();
  const Elements<float> gathered = x->permuted(Axes{1, 0}).elements();
  const std::vector<float> expected = scattered<float>(15);
  x.reset();
  EXPECT_EQ(shared[0], expected[3]);
  EXPECT_EQ(gathered[1], expected[3]);
}

TEST(Views, PermutedReadsTheAxesInTheNewOrder) {
  const auto x = scattered<float>(Shape({2, 3, 4}));
  EXPECT_TRUE(equal_bits(x.permuted(Axes{2, 0, 1}), tabulated<float>({4, 2, 3}, [&](const Index& i) {
                           return at(x, {i[1], i[2], i[0]});
                         })));
}

TEST(Views, NarrowedReadsItsPart) {
  const auto x = scattered<float>(Shape({4, 5}));
  EXPECT_TRUE(equal_bits(x.narrowed(1, 1, 3),
                         tabulated<float>({4, 3}, [&](const Index& i) { return at(x, {i[0], i[1] + 1}); })));
  EXPECT_EQ(x.narrowed(1, 5, 0).elements().size(), 0u);
}

TEST(Views, UnfoldedReadsOverlappingDilatedWindows) {
  const auto x = scattered<float>(Shape({2, 9, 3}));
  EXPECT_TRUE(equal_bits(x.unfolded(1, 3, 2, 2), tabulated<float>({2, 3, 3, 3}, [&](const Index& i) {
                           return at(x, {i[0], i[1] * 2 + i[2] * 2, i[3]});
                         })));
}

TEST(Views, BroadcastRepeats) {
  const auto x = scattered<float>(Shape({2, 3}));
  EXPECT_TRUE(equal_bits(x.broadcast_along(1, 4),
                         tabulated<float>({2, 4, 3}, [&](const Index& i) { return at(x, {i[0], i[2]}); })));
  EXPECT_TRUE(equal_bits(Tensor<float>(2.0f).repeated_to({2, 2}), Tensor<float>({2, 2}, {2, 2, 2, 2})));
  EXPECT_TRUE(Tensor<float>(2.0f).broadcast_along(0, 9).is_uniform());
  EXPECT_FALSE(x.broadcast_along(1, 4).is_uniform());
  EXPECT_TRUE(x.narrowed(0, 1, 1).narrowed(1, 2, 1).repeated_to({5}).is_uniform());
  EXPECT_EQ(x.narrowed(0, 1, 1).narrowed(1, 2, 1).repeated_to({5}).elements()[4], at(x, {1, 2}));
}

TEST(Views, Compose) {
  // Windows of a transposed, narrowed tensor, transposed again, repeated and reshaped: every step a view but
  // the last.
  const auto x = scattered<float>(Shape({7, 5}));
  const auto view = x.permuted(Axes{1, 0})
                        .narrowed(0, 1, 4)
                        .unfolded(1, 3, 2, 1)
                        .permuted(Axes{2, 1, 0})
                        .broadcast_along(1, 2);
  const auto expected =
      tabulated<float>({3, 2, 3, 4}, [&](const Index& i) { return at(x, {i[2] * 2 + i[0], i[3] + 1}); });
  EXPECT_TRUE(equal_bits(view, expected));
  EXPECT_TRUE(equal_bits(view.reshaped({6, 12}), expected.reshaped({6, 12})));
}

TEST(Views, OfEmptyTensorsAreEmpty) {
  const Tensor<float> empty({3, 0, 2}, {});
  EXPECT_EQ(empty.permuted(Axes{2, 1, 0}).elements().size(), 0u);
  EXPECT_EQ(empty.permuted(Axes{2, 1, 0}).reshaped({0, 6}).elements().size(), 0u);
  EXPECT_EQ(empty.narrowed(0, 3, 0).elements().size(), 0u);
  EXPECT_EQ(empty.broadcast_along(1, 4).elements().size(), 0u);
  EXPECT_EQ(empty.unfolded(0, 2, 1, 1).elements().size(), 0u);
}

TEST(SelectionTensor, IsAOneHotMatrixToEveryReader) {
  const auto selection = Tensor<float>::selection({2, 0}, 3);
  const Tensor<float> dense({2, 3}, {0, 0, 1, 1, 0, 0});
  EXPECT_EQ(selection.shape(), Shape({2, 3}));
  ASSERT_NE(selection.as_selection(), nullptr);
  EXPECT_EQ(selection.as_selection()->indices, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(dense.as_selection(), nullptr);
  EXPECT_TRUE(equal_bits(selection, dense));
  EXPECT_TRUE(equal_bits(selection.permuted(Axes{1, 0}), dense.permuted(Axes{1, 0})));
  EXPECT_TRUE(equal_bits(selection.narrowed(1, 1, 2), dense.narrowed(1, 1, 2)));
  EXPECT_TRUE(equal_bits(selection.unfolded(1, 2, 1, 1), dense.unfolded(1, 2, 1, 1)));
  EXPECT_TRUE(equal_bits(selection.broadcast_along(0, 2), dense.broadcast_along(0, 2)));
  EXPECT_TRUE(equal_bits(selection.reshaped({6}), dense.reshaped({6})));
  EXPECT_EQ(describe(selection), "[[0, 0, 1], [1, 0, 0]]");
  EXPECT_FALSE(Tensor<float>::selection({0}, 1).is_uniform());
  EXPECT_EQ(Tensor<float>::selection({0}, 1).item(), 1.0f);
}

TEST(SelectionTensor, RefusesAnIndexOutsideTheClasses) {
  EXPECT_EQ(refusal([] { Tensor<float>::selection({0, 3}, 3); }),
            "a selection's indices must be in 0 ... classes - 1; got index 3 at row 1 of 2, with 3 classes");
  EXPECT_EQ(refusal([] { Tensor<float>::selection({-1}, 3); }),
            "a selection's indices must be in 0 ... classes - 1; got index -1 at row 0 of 1, with 3 classes");
  EXPECT_EQ(refusal([] { Tensor<float>::selection({0}, 0); }),
            "a selection's indices must be in 0 ... classes - 1; got index 0 at row 0 of 1, with 0 classes");
  EXPECT_EQ(refusal([] { Tensor<float>::selection({}, -1); }),
            "a shape's extents cannot be negative; got [0, -1]");
  EXPECT_EQ(refusal([] { Tensor<float>::selection({}, 0); }), "accepted");
}

TEST(SameBits, TellsZerosApartAndNansTogether) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_bits(Tensor<float>(nan), Tensor<float>(-nan)));
  EXPECT_FALSE(same_bits(Tensor<float>(nan), Tensor<float>(0.0f)));
  EXPECT_FALSE(same_bits(Tensor<float>(0.0f), Tensor<float>(-0.0f)));
  EXPECT_FALSE(same_bits(Tensor<float>({1}, {1.0f}), Tensor<float>(1.0f)));
}

TEST(Selections, AreTheRowsThatAOneHotMatrixNames) {
  const Tensor<float> one_hot({2, 3}, {0, 0, 1, 1, 0, 0});
  EXPECT_EQ(reference::row_indices(one_hot), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(reference::row_indices(Tensor<float>::selection({2, 0}, 3)), reference::row_indices(one_hot));
  EXPECT_THROW(reference::row_indices(Tensor<float>({1, 2}, {1, 1})), UsageError);
}

}  // namespace
}  // namespace topos
