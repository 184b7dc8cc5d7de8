// Shapes: their volume, and what is no shape.
#include "topos/tensor/shape.hpp"

#include <gtest/gtest.h>

#include "topos/base/error.hpp"

namespace topos {
namespace {

constexpr Extent big(int exponent) { return Extent{1} << exponent; }

std::string refusal(std::vector<Extent> extents) {
  try {
    return "accepted " + describe(Shape(std::move(extents)));
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(ShapeVolume, IsTheProductOfTheExtents) {
  EXPECT_EQ(Shape().volume(), 1);
  EXPECT_EQ(Shape({7}).volume(), 7);
  EXPECT_EQ(Shape({2, 3, 4}).volume(), 24);
  EXPECT_EQ(Shape({big(31), big(31)}).volume(), big(62));
  EXPECT_EQ(Shape({std::numeric_limits<Extent>::max()}).volume(), std::numeric_limits<Extent>::max());
}

TEST(ShapeVolume, IsZeroWithAnEmptyAxis) {
  EXPECT_EQ(Shape({0}).volume(), 0);
  EXPECT_EQ(Shape({3, 0, 2}).volume(), 0);
  EXPECT_EQ(Shape({big(62), 0}).volume(), 0);
}

TEST(ShapeVolume, ThatOverflowsIsRefusedAlsoBesideAnEmptyAxis) {
  EXPECT_EQ(refusal({big(32), big(32)}),
            "the volume of shape [4294967296, 4294967296] does not fit in 63 bits");
  EXPECT_EQ(refusal({big(62), 4, 0}),
            "the volume of shape [4611686018427387904, 4, 0] does not fit in 63 bits");
  EXPECT_EQ(refusal({0, big(62), 4}),
            "the volume of shape [0, 4611686018427387904, 4] does not fit in 63 bits");
  EXPECT_EQ(refusal({big(62), 2}), "the volume of shape [4611686018427387904, 2] does not fit in 63 bits");
  EXPECT_EQ(refusal({big(21), big(21), big(21)}),
            "the volume of shape [2097152, 2097152, 2097152] does not fit in 63 bits");
}

TEST(Shape, CannotHaveANegativeExtent) {
  EXPECT_EQ(refusal({2, -1}), "a shape's extents cannot be negative; got [2, -1]");
  EXPECT_EQ(refusal({0, std::numeric_limits<Extent>::min()}),
            "a shape's extents cannot be negative; got [0, -9223372036854775808]");
}

TEST(Shape, MadeFromAnotherIsCheckedToo) {
  const Shape shape({big(32), 2});
  EXPECT_THROW(shape.with_axis(0, big(32)), UsageError);
  EXPECT_THROW(shape.with_extent(1, big(32)), UsageError);
  EXPECT_THROW(shape.with_extent(1, -1), UsageError);
}

TEST(Shape, GainsLosesAndOrdersAxes) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(shape.without_axis(1), Shape({2, 4}));
  EXPECT_EQ(shape.with_axis(0, 5), Shape({5, 2, 3, 4}));
  EXPECT_EQ(shape.with_axis(3, 5), Shape({2, 3, 4, 5}));
  EXPECT_EQ(shape.with_extent(2, 0), Shape({2, 3, 0}));
  const std::vector<Axis> order{2, 0, 1};
  EXPECT_EQ(shape.permuted(order), Shape({4, 2, 3}));
  EXPECT_EQ(shape.row_major_strides(), (std::vector<Extent>{12, 4, 1}));
  EXPECT_EQ(Shape().row_major_strides(), std::vector<Extent>{});
  EXPECT_TRUE(shape.has_axis(2));
  EXPECT_FALSE(shape.has_axis(3));
  EXPECT_FALSE(shape.has_axis(-1));
  EXPECT_FALSE(Shape().has_axis(0));
}

TEST(Shape, PrintsAsAList) {
  EXPECT_EQ(describe(Shape()), "[]");
  EXPECT_EQ(describe(Shape({0})), "[0]");
  EXPECT_EQ(describe(Shape({2, 3})), "[2, 3]");
}

}  // namespace
}  // namespace topos
