// Tapes, networks, symbols and parameters in use: what survives sealing, reopening and copying.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <unordered_set>

#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/ops/narrow.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

TEST(Symbols, NameANodeOfOneProgramOnly) {
  Tape<float> first;
  Tape<float> second;
  const Symbol a = first.leaf(T(1.0f));
  const Symbol b = first.leaf(T(1.0f));
  const Symbol c = second.leaf(T(1.0f));
  EXPECT_EQ(a, Symbol(a));
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a.index(), c.index());
  EXPECT_EQ((std::set<Symbol>{a, b, c, a}.size()), 3u);
  EXPECT_EQ((std::unordered_set<Symbol>{a, b, c, a}.size()), 3u);
}

TEST(Recording, KeepsEveryLiteralAsALeafOfItsOwnBeforeTheOperation) {
  Tape<float> tape;
  const auto x = tape.input(T(1.0f));
  const auto twice = x * 2.0f + x * 2.0f;
  EXPECT_EQ(tape.size(), 6u);
  EXPECT_TRUE(tape.graph()[1].operation.is<Leaf>());
  EXPECT_TRUE(tape.graph()[3].operation.is<Leaf>());
  EXPECT_EQ(tape.payload(tape.graph().symbol(1))->item(), 2.0f);
  EXPECT_FALSE(tape.payload(twice).has_value());
  EXPECT_EQ(twice.index(), 5u);
}

TEST(Recording, TakesALiteralOnEitherSideOfEveryElementwiseFunctionOfTwo) {
  const auto check = [](const std::function<void(const Value<float>&)>& record, const Operation& operation,
                        std::array<NodeIndex, 2> operands) {
    Tape<float> tape;
    record(tape.input(T(3.0f)));
    ASSERT_EQ(tape.size(), 3u) << operation.name();
    EXPECT_TRUE(tape.graph()[1].operation.is<Leaf>()) << operation.name();
    EXPECT_EQ(tape.payload(tape.graph().symbol(1))->item(), 2.0f);
    EXPECT_TRUE(tape.graph()[2].operation == operation) << operation.name();
    EXPECT_EQ(tape.graph()[2].operands, operands) << operation.name();
  };
  using V = Value<float>;
  const std::array<NodeIndex, 2> value_first{0, 1}, literal_first{1, 0};
  check([](const V& x) { x + 2.0f; }, make_operation<Add>(), value_first);
  check([](const V& x) { 2.0f + x; }, make_operation<Add>(), literal_first);
  check([](const V& x) { x - 2.0f; }, make_operation<Subtract>(), value_first);
  check([](const V& x) { 2.0f - x; }, make_operation<Subtract>(), literal_first);
  check([](const V& x) { x * 2; }, make_operation<Multiply>(), value_first);
  check([](const V& x) { 2.0 * x; }, make_operation<Multiply>(), literal_first);
  check([](const V& x) { x / 2.0f; }, make_operation<Divide>(), value_first);
  check([](const V& x) { 2.0f / x; }, make_operation<Divide>(), literal_first);
  check([](const V& x) { maximum(x, 2.0f); }, make_operation<Maximum>(), value_first);
  check([](const V& x) { maximum(2.0f, x); }, make_operation<Maximum>(), literal_first);
  check([](const V& x) { step(x, 2.0f); }, make_operation<Step>(), value_first);
  check([](const V& x) { step(2.0f, x); }, make_operation<Step>(), literal_first);
  check([](const V& x) { pow(x, 2.0f); }, make_operation<Power>(), value_first);
  check([](const V& x) { pow(2.0f, x); }, make_operation<Power>(), literal_first);
  check([](const V& x) { maximum(x, T(2.0f)); }, make_operation<Maximum>(), value_first);
  check([](const V& x) { maximum(T(2.0f), x); }, make_operation<Maximum>(), literal_first);
}

/// A function of one's own whose second operand is a value, a tensor or a number, as an operator's is.
Value<float> scaled(const Value<float>& x, const Value<float>::Operand& scale) {
  EXPECT_NE(scale.value.has_value(), scale.literal.has_value());
  return x * scale;
}
Value<float> reflected(const Value<float>::Literal& center, const Value<float>& x) {
  const auto twice = center.payload + center.payload;
  return twice - x;
}

TEST(Recording, HandsLiteralsThroughFunctionsOfAUsersOwn) {
  Tape<float> tape;
  const auto x = tape.input(T({2}, {1, 2}));
  const auto by_number = scaled(sum(x), 3.0f);
  const auto by_tensor = scaled(x, T({2}, {10, 100}));
  const auto by_value = scaled(x, x);
  const auto mirrored = reflected(T({2}, {5, 5}), x);
  const Network<float> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters());
  EXPECT_EQ(run.of(by_number).item(), 9.0f);
  EXPECT_EQ(describe(run.of(by_tensor)), "[10, 200]");
  EXPECT_EQ(describe(run.of(by_value)), "[1, 4]");
  EXPECT_EQ(describe(run.of(mirrored)), "[9, 8]");
}

TEST(Graph, NumbersNodesAsTheyAreAppended) {
  Graph graph;
  const NodeIndex x = graph.append(Node{.operation = make_operation<Input>(), .shape = Shape({2})});
  const NodeIndex y =
      graph.append(Node{.operation = make_operation<Tanh>(), .operands = {x, 0}, .shape = Shape({2})});
  EXPECT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(graph.inputs(), std::vector<NodeIndex>{x});
  EXPECT_EQ(graph[y].operand_indices()[0], x);
  EXPECT_EQ(graph.resolve(graph.symbol(y)), y);
  EXPECT_THROW(graph.resolve(Graph().symbol(y)), UsageError);
}

TEST(Values, FindTheOthersOfTheirTapeBySymbol) {
  Tape<float> tape;
  const auto x = tape.parameter(T(3.0f));
  const Symbol kept = x;
  const auto y = tape.leaf(T(1.0f));
  EXPECT_EQ(y.resolve(kept).index(), x.index());
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ(network.parameters().origin(), kept.origin());
  EXPECT_EQ(network.parameters().symbol(0), kept);
}

TEST(Graph, OfASealedTapeKeepsTheOriginWithoutItsNodes) {
  Tape<float> tape;
  const Symbol x = tape.leaf(T(1.0f));
  const Graph remainder = Graph::sealed_remainder(tape.graph());
  EXPECT_EQ(remainder.origin(), x.origin());
  EXPECT_EQ(remainder.size(), 0u);
}

TEST(Entry, TakesOneRootWithoutBraces) {
  Tape<float> tape;
  const auto x = tape.parameter(T(3.0f));
  const auto loss = x * x;
  const Symbol name = loss.symbol();
  const Network<float> network = std::move(tape).seal();
  EXPECT_EQ(network.entry(loss).roots(), (Symbols{name}));
  EXPECT_EQ(network.entry(name).roots(), network.entry({loss}).roots());
  EXPECT_EQ(network.entry(loss).interpret(network.parameters()).of(loss).item(), 9.0f);
}

TEST(Recording, NumbersEachKindOfSourceByItself) {
  Tape<float> tape;
  tape.input(T(0.0f));
  tape.parameter(T(1.0f));
  tape.leaf(T(2.0f));
  tape.parameter(T(3.0f));
  tape.input(T(4.0f));
  const Graph& graph = tape.graph();
  EXPECT_EQ(graph.parameters(), (std::vector<NodeIndex>{1, 3}));
  EXPECT_EQ(graph.inputs(), (std::vector<NodeIndex>{0, 4}));
  EXPECT_EQ(graph[3].slot, 1u);
  EXPECT_EQ(graph[4].slot, 1u);
  for (NodeIndex index = 0; index < 5; ++index) {
    EXPECT_EQ(tape.payload(graph.symbol(index))->item(), static_cast<float>(index));
  }
}

TEST(Operations, CompareByKindAndAttributes) {
  EXPECT_TRUE(make_operation<Tanh>() == make_operation<Tanh>());
  EXPECT_FALSE(make_operation<Tanh>() == make_operation<Negate>());
  EXPECT_TRUE(make_operation<Narrow>(1, 2, 3) == make_operation<Narrow>(1, 2, 3));
  EXPECT_FALSE(make_operation<Narrow>(1, 2, 3) == make_operation<Narrow>(1, 2, 4));
  EXPECT_EQ(make_operation<Narrow>(1, 2, 3).get<Narrow>().start, 2);
  EXPECT_EQ(make_operation<Tanh>().get_if<Narrow>(), nullptr);
}

/// sum((w x)^2), and what a reopened tape adds: a second parameter and a loss that has both.
struct Grown {
  Symbol weights, input, loss;
  Plan<float> early;
  Parameters<float> trained;
  Symbol offset, larger;
  Network<float> network;
};

Grown grow(bool plan_outlives) {
  Tape<float> tape;
  const auto weights = tape.parameter(T({2}, {1, 2}));
  const auto input = tape.input(T({2}, {3, 4}));
  const auto product = weights * input;
  const auto loss = sum(product * product);
  Network<float> network = std::move(tape).seal();
  // With a plan alive the program is shared and copied when it is reopened; else it is taken over.
  std::optional<Plan<float>> early;
  if (plan_outlives) early = network.entry({loss}).lower();
  const Parameters<float> trained = network.parameters().with(weights, T({2}, {10, 20}));
  Tape<float> reopened = std::move(network).reopen();
  const auto offset = reopened.parameter(T(5.0f));
  const auto larger = reopened.resolve(loss) + offset;
  Network<float> second = std::move(reopened).seal();
  if (!early) early = second.entry({loss}).lower();
  return {weights, input, loss, *early, trained, offset, larger, std::move(second)};
}

TEST(Reopening, KeepsSymbolsPlansAndParametersGood) {
  for (const bool plan_outlives : {true, false}) {
    const Grown grown = grow(plan_outlives);
    EXPECT_EQ(grown.network.size(), 7u);
    // The old symbols resolve in the new network, to the same nodes.
    const Parameters<float> initial = grown.network.parameters();
    EXPECT_EQ(initial.size(), 2u);
    EXPECT_EQ(grown.network.forward(initial, {}).of(grown.loss).item(), 9.0f + 64.0f);
    EXPECT_EQ(grown.network.forward(initial, {}).of(grown.larger).item(), 78.0f);
    // The trained state carries over, with the initial value of what is new.
    const Parameters<float> carried = grown.trained.carried_to(grown.network);
    EXPECT_EQ(describe(carried.of(grown.weights)), "[10, 20]");
    EXPECT_EQ(carried.of(grown.offset).item(), 5.0f);
    EXPECT_EQ(carried.symbol(1), grown.offset);
    EXPECT_EQ(grown.network.forward(carried, {}).of(grown.larger).item(), 7305.0f);
    // The plan made before runs with the state of then, where its program was that of then, and with the
    // larger one.
    if (plan_outlives) {
      EXPECT_EQ(grown.early.forward(grown.trained, {}).of(grown.loss).item(), 7300.0f);
    }
    EXPECT_EQ(grown.early.forward(carried, {}).of(grown.loss).item(), 7300.0f);
    // A program that has a parameter more does not run with a state that lacks it.
    EXPECT_THROW(grown.network.forward(grown.trained, {}), UsageError);
  }
}

TEST(Reopening, GoesOnNumberingAndDifferentiatesWhatWasThere) {
  Tape<float> tape;
  const auto x = tape.parameter(T(3.0f));
  const Symbol name = x;
  const Symbol square = x * x;
  Tape<float> reopened = std::move(tape).seal().reopen();
  EXPECT_EQ(reopened.graph().origin(), name.origin());
  const Adjoints adjoints = reopened.differentiate(square, {name});
  const Network<float> network = std::move(reopened).seal();
  EXPECT_EQ(network.forward(network.parameters(), {}).of(adjoints.of(name)).item(), 6.0f);
}

TEST(Parameters, AreValuesThatStepsDoNotChange) {
  Tape<float> tape;
  const auto a = tape.parameter(T({2}, {1, 2}));
  const auto b = tape.parameter(T(3.0f));
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> before = network.parameters();
  const Parameters<float> direction = before.with(a, T({2}, {10, -10})).with(b, T(1.0f));
  const Parameters<float> after = before.step(direction, sgd(0.5f));
  EXPECT_EQ(describe(after.of(a)), "[-4, 7]");
  EXPECT_EQ(after.of(b).item(), 2.5f);
  EXPECT_EQ(describe(before.of(a)), "[1, 2]");
  EXPECT_EQ(describe(network.parameters().of(a)), "[1, 2]");
}

}  // namespace
}  // namespace topos
