// Values held in bf16 on a tape of float have the bits that a tape of bf16 gives: each operation in f32 and
// one rounding is both their contract. Not so the operations that a tape of bf16 carries out in several
// steps, each rounded: LogSoftmax, LogSumExp and ErfDerivative, which is also Erf's derivative.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/op_cases.hpp"
#include "support/random_graph.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/held_tensor.hpp"
#include "topos/ops/op_list.hpp"
#include "topos/plan/entry.hpp"
#include "topos/tensor/convert.hpp"

namespace topos::testing {
namespace {

bool rounds_inside(const Operation& operation) {
  const auto is_one = [&]<class... Op>(TypeList<Op...>) {
    return ((Op::rounds_inside && operation.is<Op>()) || ...);
  };
  return is_one(OpList{});
}
static_assert(LogSoftmax::rounds_inside && LogSumExp::rounds_inside && ErfDerivative::rounds_inside);

TEST(HeldTensors, RoundAsTheNodesThatValuesRecord) {
  const HeldTensor<float> x{Tensor<float>(1.1015625f), Precision::bf16};
  const HeldTensor<float> squared = multiply(x, x);
  EXPECT_EQ(squared.held_in, Precision::bf16);
  EXPECT_EQ(squared.tensor.item(), float(Bf16(1.1015625f * 1.1015625f)));
  const HeldTensor<float> wide = convert(squared, Precision::working);
  EXPECT_EQ(precision_of(wide, Where::current()), Precision::working);
  EXPECT_EQ(precision_of(wide.tensor, Where::current()), Precision::working) << "a tensor knows no other";
  EXPECT_EQ(make_operation<Convert>(Precision::bf16).get<Convert>().to, Precision::bf16);
}

/// One application and its gradients, of operands that are held in bf16.
template <class E>
Symbols record(Tape<E>& tape, const Operation& operation, const std::vector<Tensor<Bf16>>& operands) {
  std::vector<Value<E>> values;
  for (const Tensor<Bf16>& operand : operands)
    values.push_back(convert<Bf16>(tape.input(convert<E>(operand))));
  const Value<E> value = Value<E>::apply(operation, values, Where::current());
  const auto weights = value.leaf(scattered<E>(value.shape(), 77));
  Symbols results{value};
  const Symbols wrt(values.begin(), values.end());
  for (const auto& pair : tape.vjp(value, weights, wrt).pairs()) results.push_back(pair.gradient);
  return results;
}

TEST(MixedPrecision, HasTheBitsOfATapeOfBf16InEveryOperationAndItsDerivative) {
  for (const OpCases& cases : all_cases()) {
    for (const ValueCase<float>& one : cases.f32) {
      const Operation& operation = one.operation;
      if (operation.is_source() || operation.is<Convert>() || rounds_inside(operation)) continue;
      SCOPED_TRACE(title(operation, one.operands));
      std::vector<Tensor<Bf16>> operands;
      for (const Tensor<float>& operand : one.operands) operands.push_back(convert<Bf16>(operand));
      Tape<Bf16> half;
      Tape<float> mixed;
      Symbols expected = record(half, operation, operands);
      const Symbols actual = record(mixed, operation, operands);
      if (operation.is<Erf>()) expected.erase(expected.begin() + 1, expected.end());
      const Network<Bf16> half_network = std::move(half).seal();
      const Network<float> mixed_network = std::move(mixed).seal();
      const auto half_run = half_network.entry(expected).interpret(half_network.parameters());
      const auto mixed_run = mixed_network.entry(actual).interpret(mixed_network.parameters());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(equal_bits(mixed_run.of(actual[i]), convert<float>(half_run.of(expected[i]))))
            << "result " << i;
      }
    }
  }
}

TEST(MixedPrecision, RoundsTheOtherOperationsOnceAtTheEnd) {
  for (const OpCases& cases : all_cases()) {
    for (const ValueCase<float>& one : cases.f32) {
      if (!rounds_inside(one.operation)) continue;
      SCOPED_TRACE(title(one.operation, one.operands));
      const Tensor<float> operand = convert<float>(convert<Bf16>(one.operands[0]));
      Tape<float> tape;
      const auto value = apply(one.operation, convert<Bf16>(tape.input(operand)), Where::current());
      const Network<float> network = std::move(tape).seal();
      const auto run = network.entry(value).interpret(network.parameters());
      const Tensor<float> wide = apply(one.operation, operand, Where::current());
      EXPECT_TRUE(equal_bits(run.of(value), convert<float>(convert<Bf16>(wide))));
    }
  }
}

/// The program of a tape of bf16, its gradient included, on a tape of float. What rounds inside there is
/// given: the value that it has in `run`.
struct Replayed {
  Network<float> network;
  std::vector<Symbol> nodes;  ///< by node of the other program
};
Replayed replayed(const RandomGraph<Bf16>& graph, const topos::Run<Bf16>& run) {
  Tape<float> tape;
  std::vector<Value<float>> values;
  for (NodeIndex index = 0; index < graph.network.size(); ++index) {
    const Node& node = graph.network.graph()[index];
    if (node.operation.is_source() || rounds_inside(node.operation)) {
      const Tensor<float> payload = convert<float>(run.of(graph.network.graph().symbol(index)));
      values.push_back(convert<Bf16>(tape.input(payload)));
      continue;
    }
    std::vector<Value<float>> operands;
    for (const NodeIndex operand : node.operand_indices()) operands.push_back(values[operand]);
    values.push_back(Value<float>::apply(node.operation, operands, Where::current()));
  }
  const Symbols nodes(values.begin(), values.end());
  return {std::move(tape).seal(), nodes};
}

TEST(MixedPrecision, HasTheBitsOfATapeOfBf16InEveryNodeOfRandomPrograms) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph<Bf16> graph = random_graph<Bf16>(seed, suite_options(seed));
    const auto expected = graph.network.forward(graph.network.parameters(), graph.feeds);
    const Replayed mixed = replayed(graph, expected);
    const auto actual = mixed.network.forward(mixed.network.parameters());
    for (NodeIndex index = 0; index < graph.network.size(); ++index) {
      const Symbol node = graph.network.graph().symbol(index);
      EXPECT_TRUE(equal_bits(actual.of(mixed.nodes[index]), convert<float>(expected.of(node))))
          << "node " << index << ", " << graph.network.graph()[index].operation.name();
      ++compared;
    }
  }
  EXPECT_GE(compared, 10000u);
}

}  // namespace
}  // namespace topos::testing
