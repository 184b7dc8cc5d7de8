// What each operation computes on bf16: elementwise by f32 and one rounding, sums and products in f32
// throughout and rounded at the end; and that every reading of a program agrees on it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/op_cases.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"
#include "topos/tensor/convert.hpp"

namespace topos::testing {
namespace {

TEST(Bf16Operations, a_product_is_an_f32_chain_rounded_once) {
  const auto a = scattered<Bf16>(Shape({3, 70}), 1);
  const auto b = scattered<Bf16>(Shape({70, 5}), 2);
  const auto expected = tabulated<Bf16>({3, 5}, [&](const std::vector<Extent>& index) {
    float total = 0.0f;
    for (Extent k = 0; k < 70; ++k)
      total = std::fma(float{at(a, {index[0], k})}, float{at(b, {k, index[1]})}, total);
    return Bf16(total);
  });
  EXPECT_TRUE(equal_bits(matmul(a, b), expected));
}

TEST(Bf16Operations, a_sum_is_the_contract_sum_in_f32_rounded_once) {
  const auto x = scattered<Bf16>(Shape({2, 9001}));
  const auto total = [](const std::vector<Bf16>& elements) {
    return Bf16(contract_sum(std::vector<float>(elements.begin(), elements.end())));
  };
  const Elements<Bf16> all = x.elements();
  EXPECT_TRUE(equal_bits(sum(x), Tensor<Bf16>(total({all.begin(), all.end()}))));
  EXPECT_TRUE(
      equal_bits(sum_along(x, 1), Tensor<Bf16>({2}, {total(line(x, 1, {0})), total(line(x, 1, {1}))})));
  EXPECT_TRUE(equal_bits(sum(Tensor<Bf16>::filled({1000}, Bf16(1))), Tensor<Bf16>(Bf16(1000))))
      << "in bf16 it would stop at 256 a lane";
}

TEST(Bf16Operations, fold_and_scatter_add_in_f32_and_round_once) {
  // 1 + 2^-8 + 2^-8 is 1 + 2^-7 in one rounding, and 1 in two.
  const Bf16 one(1), half_unit(std::ldexp(1.0, -8)), next(1.0078125);
  const Tensor<Bf16> windows({3, 3},
                             {Bf16(), Bf16(), one, Bf16(), half_unit, Bf16(), half_unit, Bf16(), Bf16()});
  EXPECT_EQ(at(fold(windows, 0, 3, 1, 1, 5), {2}), next);
  const Tensor<Bf16> rows({3, 1}, {one, half_unit, half_unit});
  EXPECT_EQ(at(scatter(rows, Tensor<Bf16>::selection({1, 1, 1}, 2)), {1, 0}), next);
}

TEST(Bf16Operations, the_softmax_family_rounds_every_step_and_sums_in_f32) {
  const auto x = scattered<Bf16>(Shape({40}));
  Bf16 peak = -std::numeric_limits<Bf16>::infinity();
  for (const Bf16 e : x.elements()) peak = std::max(peak, e);
  std::vector<float> exponentials;
  for (const Bf16 e : x.elements()) exponentials.push_back(Bf16(math::exp(float{e - peak})));
  const Bf16 normalizer(math::log(float{Bf16(contract_sum(exponentials))}));
  EXPECT_TRUE(equal_bits(logsumexp(x, 0), Tensor<Bf16>(peak + normalizer)));
  EXPECT_TRUE(equal_bits(log_softmax(x, 0), tabulated<Bf16>({40}, [&](const std::vector<Extent>& index) {
                           return (at(x, index) - peak) - normalizer;
                         })));
}

TEST(Bf16Operations, the_slope_of_erf_rounds_every_step) {
  const auto x = scattered<Bf16>(Shape({100}));
  EXPECT_TRUE(equal_bits(erf_derivative(x), tabulated<Bf16>({100}, [&](const std::vector<Extent>& index) {
                           const Bf16 square(float{at(x, index)} * float{at(x, index)});
                           return Bf16(float{Bf16(math::exp(-float{square}))} * 1.125f);
                         })));
}

TEST(Bf16Operations, movement_keeps_nan_payloads_and_signs_of_zeros) {
  const Tensor<Bf16> x({2, 2},
                       {Bf16::from_bits(0x7F81), Bf16::from_bits(0xFFC3), Bf16(-0.0f), Bf16::from_bits(1)});
  const auto moved = reshape(permute(narrow(pad(x, 0, 1, 4), 0, 1, 2), {1, 0}), {4});
  const std::vector<unsigned> expected{0x7F81, 0x8000, 0xFFC3, 0x0001};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(moved.elements()[i].to_bits(), expected[i]);
  EXPECT_EQ(sum(Tensor<Bf16>(Bf16::from_bits(0x7F81))).item().to_bits(), 0x7F81) << "of rank 0: unchanged";
}

/// One program in any element: the captured example of precision.
template <class E>
struct Program {
  Tape<E> tape;
  Value<E> weights = tape.parameter(convert<E>(Tensor<float>({2, 2}, {0.5f, -0.25f, 0.25f, 0.4f})));
  Value<E> input = tape.input(convert<E>(Tensor<float>({1, 2}, {1.0f, 2.0f})));
  Value<E> loss = sum(exp(tanh(matmul(input, weights))));
};

TEST(Bf16Programs, record_the_same_spec_and_give_the_captured_value) {
  Program<double> wide;
  Program<float> single;
  Program<Bf16> half;
  EXPECT_EQ(half.tape.describe(), wide.tape.describe());
  const auto value = [](auto program) {
    const Symbol loss = program.loss;
    const auto network = std::move(program.tape).seal();
    return describe(network.entry(loss).lower().forward(network.parameters()).of(loss));
  };
  EXPECT_EQ(value(std::move(wide)), "3.7912668765691295");
  EXPECT_EQ(value(std::move(single)), "3.791267");
  EXPECT_EQ(value(std::move(half)), "3.78125");
}

TEST(Bf16Programs, train_alike_when_interpreted_planned_and_kept_in_a_session) {
  Program<Bf16> program;
  const Symbol loss = program.loss, weights = program.weights;
  const Adjoints adjoints = program.tape.differentiate(program.loss, {program.weights});
  const auto rate = program.tape.leaf(Tensor<Bf16>::filled({2, 2}, Bf16(0.125f)));
  const auto stepped = program.weights - program.tape.resolve(adjoints.of(weights)) * rate;
  const Symbol update = stepped;
  const Network<Bf16> network = std::move(program.tape).seal();
  const Entry<Bf16> entry = network.entry(adjoints.roots()).observe({update});
  const Plan<Bf16> plan = entry.lower();
  Session<Bf16> session =
      network.entry(adjoints.roots()).update({{weights, update}}).lower().session(network.parameters());
  Parameters<Bf16> parameters = network.parameters();
  for (int step = 0; step < 4; ++step) {
    const auto interpreted = entry.interpret(parameters);
    const auto planned = plan.forward(parameters);
    session.run();
    EXPECT_TRUE(equal_bits(planned.of(update), interpreted.of(update)));
    EXPECT_TRUE(equal_bits(interpreted.backward(loss).of(weights), interpreted.of(adjoints.of(weights))));
    EXPECT_EQ(session.item(loss), interpreted.of(loss).item());
    parameters = parameters.with(weights, interpreted.of(update));
    EXPECT_TRUE(equal_bits(session.parameters().of(weights), parameters.of(weights)));
  }
  EXPECT_EQ(plan.describe_engine(), "interpreted node by node\n");
}

}  // namespace
}  // namespace topos::testing
