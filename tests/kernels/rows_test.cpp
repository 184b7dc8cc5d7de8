// Rows by index and windows folded back: each element's additions in the reference's order.
#include "kernels/reduce_support.hpp"
#include "topos/tensor/reference/selection.hpp"
#include "topos/tensor/reference/window.hpp"

namespace topos::kernels {
namespace {

using namespace testing;

std::vector<std::int64_t> random_indices(Extent count, Extent rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> indices;
  for (Extent i = 0; i < count; ++i)
    indices.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  return indices;
}

template <class F>
std::vector<F> elements_of(const Tensor<F>& tensor) {
  const Elements<F> elements = tensor.elements();
  return std::vector<F>(elements.begin(), elements.end());
}

template <class F>
class Rows : public ::testing::Test {
 protected:
  ThreadPool one{1};
  ThreadPool three{3};

  void expect_bits(Extent count, Extent rows, Extent row, ThreadPool& pool) {
    const auto indices = random_indices(count, rows, static_cast<std::uint64_t>(count + 31 * rows));
    const auto selection = Tensor<F>::selection(indices, rows);
    const auto values = numbers<F>(rows * row, 3);
    const auto table =
        elements_of(reference::gather(Tensor<F>(Shape({rows, row}), values), selection, Shape({count, row})));
    const auto gradients = with_specials(numbers<F>(count * row, 4), 5, 1000);
    const auto sums = elements_of(
        reference::scatter(Tensor<F>(Shape({count, row}), gradients), selection, Shape({rows, row})));
    on_each_instruction_set([&] {
      Guarded<F> taken(count * row);
      gather(values.data(), indices, row, taken.data(), pool);
      EXPECT_EQ(taken.difference(table), "") << count << " of " << rows << " rows of " << row;
      Guarded<F> added(rows * row);
      scatter(gradients.data(), indices, rows, row, added.data(), pool);
      EXPECT_EQ(added.difference(sums), "") << count << " into " << rows << " rows of " << row;
    });
  }
};
TYPED_TEST_SUITE(Rows, Floats);

TYPED_TEST(Rows, TakenAndAddedAreTheReferences) {
  for (const Extent count : {0, 1, 5, 64}) {
    for (const Extent rows : {1, 2, 27}) {
      for (const Extent row : {0, 1, 2, 3, 7, 8, 10, 15, 16, 17, 33, 63, 64, 65, 200}) {
        this->expect_bits(count, rows, row, this->one);
        this->expect_bits(count, rows, row, this->three);
      }
    }
  }
}

TYPED_TEST(Rows, SharedOutInColumnsOrInRowsAddInTheSameOrder) {
  this->expect_bits(1000, 10, 777, this->three);  // wide rows: columns
  this->expect_bits(5000, 50, 30, this->three);   // narrow rows: ranges of targets
  this->expect_bits(20000, 2, 10, this->three);   // fewer targets than threads
}

template <class F>
class Fold : public ::testing::Test {
 protected:
  ThreadPool one{1};
  ThreadPool three{3};

  void expect_bits(const FoldShape& shape, ThreadPool& pool) {
    const Shape windows({shape.outer, shape.windows, shape.size, shape.inner});
    const auto elements =
        with_specials(numbers<F>(windows.volume(), static_cast<std::uint64_t>(windows.volume())), 9, 500);
    const auto expected =
        elements_of(reference::fold(Tensor<F>(windows, elements), 1, shape.step, shape.dilation,
                                    Shape({shape.outer, shape.extent, shape.inner})));
    on_each_instruction_set([&] {
      Guarded<F> out(shape.outer * shape.extent * shape.inner);
      fold(elements.data(), shape, out.data(), pool);
      EXPECT_EQ(out.difference(expected), "")
          << shape.outer << " x " << shape.windows << " x " << shape.size << " x " << shape.inner << ", step "
          << shape.step << ", dilation " << shape.dilation << ", extent " << shape.extent;
    });
  }

  // The windows that fit, and an extent that they do not fill.
  static FoldShape windows_in(Extent outer, Extent extent, Extent size, Extent step, Extent dilation,
                              Extent inner) {
    const Extent span = dilation * (size - 1) + 1;
    return {outer, (extent - span) / step + 1, size, inner, extent, step, dilation};
  }
};
TYPED_TEST_SUITE(Fold, Floats);

TYPED_TEST(Fold, OfEveryStepAndDilationIsTheReferences) {
  for (const Extent inner : {1, 2, 3, 4, 5, 8, 17, 33}) {
    for (const Extent size : {1, 2, 3, 5}) {
      for (const Extent step : {1, 2, 3, 7}) {
        for (const Extent dilation : {1, 2, 3}) {
          this->expect_bits(this->windows_in(2, 20, size, step, dilation, inner), this->one);
        }
      }
    }
  }
}

TYPED_TEST(Fold, OfManyWindowsAndWideOnesIsTheReferences) {
  this->expect_bits(this->windows_in(1, 3000, 5, 1, 1, 1), this->one);  // longer than a stretch
  this->expect_bits(this->windows_in(1, 5000, 4, 2, 3, 2), this->one);
  this->expect_bits(this->windows_in(1, 12, 3, 1, 1, 5000), this->three);  // strips
  this->expect_bits(this->windows_in(200, 28, 3, 1, 1, 28), this->three);
}

TYPED_TEST(Fold, OfNothingIsZeros) {
  this->expect_bits({2, 0, 3, 4, 5, 1, 1}, this->one);
  this->expect_bits({0, 2, 3, 4, 4, 1, 1}, this->one);
  this->expect_bits({2, 2, 3, 0, 4, 1, 1}, this->one);
}

}  // namespace
}  // namespace topos::kernels
