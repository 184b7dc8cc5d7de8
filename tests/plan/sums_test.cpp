// Sums that the group makes which computes their operand, where the operand lies: of rows, of columns, and of
// channels of images.
#include <gtest/gtest.h>

#include "plan/programs.hpp"
#include "topos/ops/sum_along.hpp"

namespace topos {
namespace {

using testing::Setting;
using testing::spread_by;

template <class E>
class GroupedSums : public ::testing::Test {
 protected:
  void expect_in_steps(std::string_view label, Tape<E> tape, const Symbols& results,
                       const std::vector<std::string>& steps) {
    SCOPED_TRACE(label);
    const Network<E> network = std::move(tape).seal();
    testing::expect_the_interpreters_bits<E>(network, results, {}, 5,
                                             [&](const Plan<E>& plan, const Setting& setting) {
                                               if (!setting.options.fuse) return;
                                               const std::string text = plan.describe_engine();
                                               for (const std::string& step : steps)
                                                 EXPECT_NE(text.find(step), std::string::npos) << text;
                                               EXPECT_EQ(text.find("copy"), std::string::npos) << text;
                                             });
  }
};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GroupedSums, ElementTypes);

TYPED_TEST(GroupedSums, OfColumnsHaveTheInterpretersBits) {
  for (const Shape& shape : {Shape({3, 5}), Shape({16, 7}), Shape({17, 64}), Shape({333, 40}),
                             Shape({200, 512}), Shape({4096, 6}), Shape({4100, 9}), Shape({13000, 32})}) {
    Tape<TypeParam> tape;
    const auto x = tape.parameter(spread_by<TypeParam>(2, shape, 1));
    const auto row = tape.parameter(spread_by<TypeParam>(1, Shape({shape[1]}), 2));
    const auto repeated = broadcast_along(row, 0, shape[0]);
    const auto centered = x - repeated;
    const auto squares = centered * centered;
    const auto negative_zeros = squares * tape.leaf(Tensor<TypeParam>::filled(shape, TypeParam{-0.0}));
    this->expect_in_steps(describe(shape), std::move(tape),
                          Symbols{sum_along(squares, 0), sum_along(negative_zeros, 0), sum_along(squares, 1)},
                          {fmt::format("= sums over [{}, :, 1] of %{}", shape[0], squares.symbol().index())});
  }
}

// [batch, channels, height, width] as rows of channels: the axis that is summed lies around the channels.
TYPED_TEST(GroupedSums, OfChannelsHaveTheInterpretersBitsWhereImagesLie) {
  struct Images {
    Extent batch, channels, height, width;
    bool total_too =
        true;  // by the same step: half of the channels is a multiple of a block, or few elements
  };
  for (const Images& of : {Images{2, 3, 4, 4}, Images{3, 5, 28, 28}, Images{16, 8, 32, 32},
                           Images{2, 4, 64, 64}, Images{2, 4, 80, 64, false}}) {
    Tape<TypeParam> tape;
    const Extent rows = of.batch * of.height * of.width;
    const auto x =
        tape.parameter(spread_by<TypeParam>(2, Shape({of.batch, of.channels, of.height, of.width}), 1));
    const auto channels_last = reshape(permute(x, {0, 2, 3, 1}), Shape({rows, of.channels}));
    const auto mean = sum_along(channels_last, 0) / tape.leaf(Tensor<TypeParam>::filled(
                                                        Shape({of.channels}), static_cast<TypeParam>(rows)));
    const auto centered = channels_last - broadcast_along(mean, 0, rows);
    const auto squares = centered * centered;
    const auto back =
        permute(reshape(squares, Shape({of.batch, of.height, of.width, of.channels})), {0, 3, 1, 2});
    const std::string lines = fmt::format("sums over [{}, :, {}]", of.batch, of.height * of.width);
    std::vector<std::string> steps{lines + ": b",
                                   fmt::format("= {} of %{}", lines, squares.symbol().index())};
    if (of.total_too) steps.push_back(fmt::format("= sums of {} of %", rows * of.channels));
    this->expect_in_steps(fmt::format("{} channels of {} x {}", of.channels, of.height, of.width),
                          std::move(tape), Symbols{sum_along(squares, 0), back + x, sum(back * x)}, steps);
  }
}

}  // namespace
}  // namespace topos
