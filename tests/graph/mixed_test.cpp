// Values held in bf16 on a tape of float: what a recording says of them, and what it refuses.
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::expect_refusal;
using testing::refusal;
using T = Tensor<float>;

template <class To, class E>
concept CanConvert = requires(const Value<E>& x) { convert<To>(x); };
static_assert(CanConvert<Bf16, float> && CanConvert<float, float> && CanConvert<Bf16, Bf16>);
static_assert(HeldIn<Bf16, float> && HeldIn<double, double> && !HeldIn<float, double>);
static_assert(!CanConvert<Bf16, double> && !CanConvert<float, double> && !CanConvert<float, Bf16>);

T f32_zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

TEST(MixedPrecision, IsSeenInTheLinesOfNodesHeldInBf16AndNowhereElse) {
  Tape<float> tape;
  const auto weights = tape.parameter(f32_zeros({2, 3}));
  const auto input = tape.input(f32_zeros({4, 2}));
  const auto half = convert<Bf16>(input);
  const auto product = matmul(half, convert<Bf16>(weights));
  sum(convert<float>(relu(product)));
  EXPECT_EQ(tape.describe(),
            "   0  Parameter                         [2, 3]\n"
            "   1  Input                             [4, 2]\n"
            "   2  Convert        1  to=bf16         [4, 2] bf16\n"
            "   3  Convert        0  to=bf16         [2, 3] bf16\n"
            "   4  MatMul         2, 3               [4, 3] bf16\n"
            "   5  Leaf                              [4, 3] bf16\n"
            "   6  Maximum        4, 5               [4, 3] bf16\n"
            "   7  Convert        6  to=working      [4, 3]\n"
            "   8  Sum            7                  []\n"
            "tape: 9 nodes, 1 parameter, 1 input\n");
}

TEST(MixedPrecision, ConvertingToTheTypeThatAValueHasRecordsNothing) {
  Tape<float> tape;
  const auto x = tape.input(f32_zeros({2}));
  const auto half = convert<Bf16>(x);
  EXPECT_EQ(convert<float>(x).index(), x.index());
  EXPECT_EQ(convert<Bf16>(half).index(), half.index());
  EXPECT_EQ(half.precision(), Precision::bf16);
  EXPECT_EQ(convert<float>(half).precision(), Precision::working);
  Tape<Bf16> own;
  const auto y = own.input(Tensor<Bf16>(Bf16(1)));
  EXPECT_EQ(convert<Bf16>(y).index(), y.index()) << "a tape's own element";
}

TEST(MixedPrecision, ConstantsAndLiteralsAreHeldAsTheValueBesideThemAndRoundedOnce) {
  Tape<float> tape;
  const auto half = convert<Bf16>(tape.input(f32_zeros({})));
  const auto payload = [&](const Value<float>& x) { return tape.payload(x)->item(); };
  EXPECT_EQ(payload(half.leaf(T(1.01171875f))), 1.015625f) << "a tie, to even";
  EXPECT_EQ(payload(half.constant(Shape(), 1.00390625 + 1e-12)), 1.0078125f) << "not by way of f32";
  EXPECT_EQ(payload(half.lowest_finite(Shape())), -3.3895314e38f) << "f32's would be infinite";
  EXPECT_EQ(half.lowest_finite(Shape()).precision(), Precision::bf16);
  const auto scaled = half * 1.1f;
  EXPECT_EQ(tape.graph()[scaled.index() - 1].precision, Precision::bf16);
  EXPECT_EQ(payload(tape.resolve(tape.graph().symbol(scaled.index() - 1))), 1.1015625f);
  EXPECT_EQ((1.1f - half).precision(), Precision::bf16);
  EXPECT_EQ(tape.leaf(T(1.1f)).precision(), Precision::working) << "the tape's own leaves are its element's";
}

TEST(MixedPrecision, OperandsOfOneOperationMustHaveOneType) {
  Tape<float> tape;
  const auto x = tape.input(f32_zeros({2}));
  const auto half = convert<Bf16>(x);
  const std::size_t size = tape.size();
  const std::string message = refusal([&] { x + half; });
  EXPECT_NE(message.find("[Add] its operands must have one element type; got f32 (node 0) and bf16 (node 1): "
                         "convert one of them; recorded at"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("mixed_test.cpp:"), std::string::npos) << message;
  expect_refusal([&] { maximum(half, x); }, "got bf16 (node 1) and f32 (node 0)");
  EXPECT_EQ(tape.size(), size);
}

TEST(MixedPrecision, SeedsTangentsAndUpdatesMustFitToo) {
  Tape<float> tape;
  const auto x = tape.parameter(f32_zeros({2}));
  const auto half = convert<Bf16>(x);
  const auto seed = tape.leaf(f32_zeros({2}));
  expect_refusal([&] { tape.vjp(half, seed, {x}); },
                 "the seed must be held as its target, node 1, is: convert it; at");
  expect_refusal([&] { tape.jvp(half, {{x, convert<Bf16>(seed)}}); },
                 "a tangent must be held as its variable, node 0, is: convert it; at");
  const Network<float> network = std::move(tape).seal();
  expect_refusal(
      [&] { network.entry({half}).update({{x, half}}).lower(); },
      "the new value of parameter node 0, node 1, is held in bf16: convert it to the parameter's type");
}

TEST(MixedPrecision, OtherTapesHaveNone) {
  const Operation narrowing = make_operation<Convert>(Precision::bf16);
  EXPECT_EQ(narrowing.result_precision(Precision::working), Precision::bf16);
  EXPECT_EQ(make_operation<Add>().result_precision(Precision::bf16), Precision::bf16);
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>(1.0));
  expect_refusal([&] { apply(narrowing, x, Where::current()); },
                 "[Convert] only a tape of float holds values in bf16; recorded at");
  expect_refusal([&] { apply(narrowing, Tensor<double>(1.0), Where::current()); },
                 "[Convert] only f32 elements can be held in bf16");
  EXPECT_EQ(tape.size(), 1u);
}

TEST(MixedPrecision, AGradientIsHeldAsWhatItIsOf) {
  Tape<float> tape;
  const auto x = tape.parameter(f32_zeros({2, 2}));
  const auto half = convert<Bf16>(x);
  const auto unused = convert<Bf16>(tape.input(f32_zeros({3})));
  const auto loss = sum(convert<float>(exp(half) * half));
  const Adjoints adjoints = tape.differentiate(loss, {x, half, unused});
  EXPECT_EQ(tape.resolve(adjoints.of(x)).precision(), Precision::working);
  EXPECT_EQ(tape.resolve(adjoints.of(half)).precision(), Precision::bf16);
  EXPECT_EQ(tape.resolve(adjoints.of(unused)).precision(), Precision::bf16) << "zeros of it";
  const Value<float> moved = tape.jvp(half, {{x, tape.leaf(T::filled({2, 2}, 1.0f))}});
  EXPECT_EQ(moved.precision(), Precision::bf16);
  const auto narrow_loss = sum(half);
  EXPECT_EQ(tape.resolve(tape.differentiate(narrow_loss, {x}).of(x)).precision(), Precision::working);
}

}  // namespace
}  // namespace topos
