// Copies from strided layouts: every element, and no other, for every range of every layout.
#include "kernels/reduce_support.hpp"

namespace topos::kernels {
namespace {

using namespace testing;

// One plain loop.
template <class F>
std::vector<F> expected_copy(const std::vector<F>& x, std::span<const StridedAxis> axes, Extent first,
                             Extent count) {
  std::vector<F> out;
  for (Extent at = first; at < first + count; ++at) {
    Extent rest = at;
    Extent offset = 0;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      offset += rest % axes[axis].extent * axes[axis].stride;
      rest /= axes[axis].extent;
    }
    out.push_back(x[static_cast<std::size_t>(offset)]);
  }
  return out;
}

Extent volume_of(std::span<const StridedAxis> axes) {
  Extent volume = 1;
  for (const StridedAxis& axis : axes) volume *= axis.extent;
  return volume;
}

Extent reach_of(std::span<const StridedAxis> axes) {
  Extent last = 0;
  for (const StridedAxis& axis : axes) last += std::max<Extent>(0, axis.extent - 1) * axis.stride;
  return last + 1;
}

template <class F>
void expect_range(const std::vector<F>& elements, const std::vector<StridedAxis>& axes, Extent first,
                  Extent count) {
  Guarded<F> out(count);
  copy_strided(elements.data(), std::span(axes), first, count, out.data());
  EXPECT_EQ(out.difference(expected_copy(elements, axes, first, count)), "")
      << "from " << first << ", " << count << " elements, rank " << axes.size();
}

template <class F>
void expect_copies(const std::vector<StridedAxis>& axes, std::uint64_t seed, int ranges) {
  const Extent volume = volume_of(axes);
  std::vector<F> elements(static_cast<std::size_t>(reach_of(axes)));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<F>(i);
  expect_range(elements, axes, 0, volume);
  std::mt19937_64 random(seed);
  for (int i = 0; i < ranges && volume > 0; ++i) {
    const auto first = static_cast<Extent>(random() % static_cast<std::uint64_t>(volume));
    const auto count = static_cast<Extent>(random() % static_cast<std::uint64_t>(volume - first + 1));
    expect_range(elements, axes, first, count);
  }
}

template <class F>
class CopyStrided : public ::testing::Test {};
TYPED_TEST_SUITE(CopyStrided, Floats);

TYPED_TEST(CopyStrided, CopiesContiguousRepeatedAndStridedRows) {
  on_each_instruction_set([&] {
    for (const Extent rows : {1, 2, 5}) {
      for (const Extent extent : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 129}) {
        for (const Extent stride : {0, 1, 2, 3}) {
          for (const Extent row_stride : {Extent{0}, Extent{1}, extent * stride, extent * stride + 3}) {
            expect_copies<TypeParam>({{rows, row_stride}, {extent, stride}}, 3, 3);
          }
        }
      }
    }
  });
}

TYPED_TEST(CopyStrided, Transposes) {
  on_each_instruction_set([&] {
    for (const Extent rows : {1, 3, 4, 5, 7, 8, 9, 16, 17, 40}) {
      for (const Extent columns : {1, 2, 3, 4, 5, 8, 9, 33}) {
        expect_copies<TypeParam>({{rows, 1}, {columns, rows}}, 5, 4);
        expect_copies<TypeParam>({{3, rows * columns}, {rows, 1}, {columns, rows}}, 6, 4);
        expect_copies<TypeParam>({{2, 0}, {rows, 1}, {columns, rows + 5}}, 7, 4);
      }
    }
  });
}

TYPED_TEST(CopyStrided, TransposesAroundOtherAxes) {
  on_each_instruction_set([&] {
    for (const Extent rows : {3, 4, 9}) {
      for (const Extent middle : {2, 3}) {
        for (const Extent columns : {4, 5, 8}) {
          expect_copies<TypeParam>({{rows, 1}, {middle, rows}, {columns, rows * middle}}, 5, 6);
          expect_copies<TypeParam>({{rows, 1}, {middle, rows * columns}, {columns, rows}}, 6, 6);
          expect_copies<TypeParam>({{2, 1000}, {rows, 1}, {middle, rows * columns}, {2, 0}, {columns, rows}},
                                   7, 6);
        }
      }
    }
  });
}

TYPED_TEST(CopyStrided, CopiesRandomLayouts) {
  std::mt19937_64 random(11);
  for (int layout = 0; layout < 150; ++layout) {
    std::vector<StridedAxis> axes;
    Extent volume = 1;
    const auto rank = static_cast<int>(random() % 7);
    for (int axis = 0; axis < rank && volume < 3000; ++axis) {
      axes.push_back({static_cast<Extent>(1 + random() % 6),
                      static_cast<Extent>(random() % 4 == 0 ? 0 : random() % 20)});
      volume *= axes.back().extent;
    }
    // the strides of a permuted contiguous tensor, half of the time
    if (random() % 2 == 0) {
      std::vector<std::size_t> order(axes.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), random);
      Extent stride = 1;
      for (const std::size_t axis : order) {
        axes[axis].stride = stride;
        stride *= axes[axis].extent;
      }
    }
    SCOPED_TRACE(layout);
    on_each_instruction_set([&] { expect_copies<TypeParam>(axes, static_cast<std::uint64_t>(layout), 5); });
  }
}

TYPED_TEST(CopyStrided, CopiesNothingOfAnEmptyLayoutAndOneElementOfNone) {
  on_each_instruction_set([&] {
    expect_copies<TypeParam>({{3, 0}, {0, 1}}, 1, 0);
    expect_copies<TypeParam>({}, 1, 2);
    expect_copies<TypeParam>(std::vector<StridedAxis>(100, {1, 5}), 1, 2);
    expect_copies<TypeParam>(std::vector<StridedAxis>(11, {2, 3}), 1, 5);
  });
}

}  // namespace
}  // namespace topos::kernels
