// Handles used where they mean nothing: an error each time, and nothing changed.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "support/refusal.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::refusal;

using T = Tensor<float>;

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST(Values, OfTwoTapesDoNotMix) {
  Tape<float> here;
  Tape<float> there;
  const auto a = here.parameter(T(1.0f));
  const auto b = there.parameter(T(2.0f));
  const std::string message = refusal([&] { a + b; });
  EXPECT_SAYS(message, "[Add] its operands, nodes 0 and 0, belong to two different tapes");
  EXPECT_SAYS(message, "misuse_test.cpp:");
  EXPECT_SAYS(refusal([&] { matmul(a, b); }), "[MatMul]");
  EXPECT_SAYS(refusal([&] { here.vjp(a, b, {a}); }), "the seed belongs to another tape");
  EXPECT_SAYS(refusal([&] { here.differentiate(b, {a}); }), "belongs to another program");
  EXPECT_SAYS(refusal([&] { here.differentiate(a, {b}); }), "belongs to another program");
  EXPECT_SAYS(refusal([&] { here.resolve(b); }), "belongs to another program");
  EXPECT_EQ(here.size(), 1u);
  EXPECT_EQ(there.size(), 1u);
}

TEST(Values, OfASealedTapeAreStaleButStillNameTheirNode) {
  Tape<float> tape;
  const auto a = tape.parameter(T(1.0f));
  const auto b = a + a;
  const Network<float> network = std::move(tape).seal();
  for (const auto& action : std::initializer_list<std::function<void()>>{
           [&] { a + b; }, [&] { -b; }, [&] { b * 2.0f; }, [&] { 2.0f * b; }, [&] { b.shape(); },
           [&] { tanh(b); }, [&] { b.constant({2}, 1.0); }, [&] { b.leaf(T(1.0f)); },
           [&] { b.lowest_finite({2}); }, [&] { relu(b); }}) {
    const std::string message = refusal(action);
    EXPECT_SAYS(message, "is stale: its tape was sealed");
  }
  EXPECT_SAYS(refusal([&] { a + b; }), "misuse_test.cpp:");
  EXPECT_EQ(b.symbol(), Symbol(network.graph().origin(), 1));
  EXPECT_EQ(network.size(), 2u);
}

TEST(Values, OfADestroyedTapeAreStale) {
  std::optional<Value<float>> survivor;
  std::optional<Symbol> name;
  {
    Tape<float> tape;
    survivor = tape.parameter(T({2}, {1, 2}));
    name = survivor->symbol();
  }
  EXPECT_SAYS(refusal([&] { *survivor + *survivor; }), "is stale: its tape was destroyed");
  EXPECT_SAYS(refusal([&] { survivor->shape(); }), "is stale: its tape was destroyed");
  EXPECT_EQ(survivor->symbol(), *name);
}

TEST(Values, FollowTheirTapeWhenItIsMoved) {
  Tape<float> first;
  const auto a = first.parameter(T(1.0f));
  Tape<float> second = std::move(first);
  const auto b = a + a;
  EXPECT_EQ(second.size(), 2u);
  Tape<float> third;
  third.leaf(T(0.0f));
  third = std::move(second);
  b* a;
  EXPECT_EQ(third.size(), 3u);
}

TEST(Values, CanBeMovedFromAndStillUsed) {
  Tape<float> tape;
  auto a = tape.parameter(T(1.0f));
  const auto b = std::move(a);
  EXPECT_EQ(a.symbol(), b.symbol());
  EXPECT_EQ((a + b).index(), 1u);
}

TEST(Operations, WithAnotherNumberOfOperandsThanTheirsAreRefused) {
  Tape<float> tape;
  const auto a = tape.parameter(T({2}, {1, 2}));
  const T x({2}, {1, 2});
  const std::vector<Value<float>> none;
  const std::vector<Value<float>> three{a, a, a};
  EXPECT_SAYS(refusal([&] { apply(make_operation<Add>(), a, Where::current()); }),
              "[Add] takes 2 operands; got 1");
  EXPECT_SAYS(refusal([&] { apply(make_operation<Tanh>(), a, a, Where::current()); }),
              "[Tanh] takes 1 operand; got 2");
  EXPECT_SAYS(refusal([&] { Value<float>::apply(make_operation<Tanh>(), none, Where::current()); }),
              "[Tanh] takes 1 operand; got 0");
  EXPECT_SAYS(refusal([&] { Value<float>::apply(make_operation<Add>(), three, Where::current()); }),
              "[Add] takes 2 operands; got 3");
  EXPECT_SAYS(refusal([&] { apply(make_operation<Add>(), x, Where::current()); }),
              "[Add] takes 2 operands; got 1");
  EXPECT_SAYS(refusal([&] { T::apply(make_operation<Tanh>(), std::vector<T>{x, x, x}, Where::current()); }),
              "[Tanh] takes 1 operand; got 3");
  EXPECT_SAYS(refusal([&] { apply(make_operation<Add>(), a, Where::current()); }), "misuse_test.cpp:");
  EXPECT_SAYS(refusal([&] { Value<float>::apply(make_operation<Leaf>(), none, Where::current()); }),
              "[Leaf] is recorded by the tape's own function");
  EXPECT_EQ(tape.size(), 1u);
}

TEST(Operations, WhoseResultWouldOverflowAreShapeErrorsWithTheCallersPlace) {
  Tape<float> tape;
  const auto tall = tape.input(T::filled({Extent{1} << 40, 0}, 0.0f));
  const auto wide = tape.input(T::filled({0, Extent{1} << 40}, 0.0f));
  try {
    matmul(tall, wide);
    ADD_FAILURE() << "accepted";
  } catch (const ShapeError& error) {
    const std::string message = error.what();
    EXPECT_SAYS(message,
                "[MatMul] the volume of shape [1099511627776, 1099511627776] does not fit in 63 bits");
    EXPECT_SAYS(message, "got [1099511627776, 0] and [0, 1099511627776]");
    EXPECT_SAYS(message, "misuse_test.cpp:");
  }
  EXPECT_EQ(tape.size(), 2u);
}

TEST(Tapes, ThatWereSealedOrMovedFromRecordNothing) {
  Tape<float> sealed;
  const auto a = sealed.parameter(T(1.0f));
  const Network<float> network = std::move(sealed).seal();
  Tape<float> moved;
  Tape<float> target = std::move(moved);
  for (Tape<float>* tape : {&sealed, &moved}) {
    for (const auto& action : std::initializer_list<std::function<void()>>{
             [&] { tape->leaf(T(1.0f)); }, [&] { tape->parameter(T(1.0f)); }, [&] { tape->input(T(1.0f)); },
             [&] { tape->size(); }, [&] { tape->graph(); }, [&] { tape->describe(); },
             [&] { tape->resolve(a); }, [&] { tape->payload(a); }, [&] { tape->differentiate(a, {a}); },
             [&] { tape->vjp(a, a, {a}); }, [&] { std::move(*tape).seal(); }}) {
      EXPECT_SAYS(refusal(action), "this tape was sealed or moved from");
    }
  }
  EXPECT_EQ(network.size(), 1u);
  EXPECT_EQ(target.size(), 0u);
}

TEST(Shapes, ThatDoNotFitRecordNothingNotEvenTheLiteral) {
  Tape<float> tape;
  const auto matrix = tape.parameter(T::filled({2, 3}, 1.0f));
  const auto vector = tape.parameter(T::filled({3}, 1.0f));
  const std::string message = refusal([&] { matrix + vector; });
  EXPECT_SAYS(message, "[Add] C1: the operand shapes must be equal; got [2, 3] and [3]; recorded at ");
  EXPECT_SAYS(message, "misuse_test.cpp:");
  EXPECT_EQ(tape.size(), 2u);
  // An element is a literal of rank 0 and never broadcasts; refused, it is not recorded either.
  EXPECT_SAYS(refusal([&] { matrix * 2.0f; }),
              "[Mul] C1: the operand shapes must be equal; got [2, 3] and []");
  EXPECT_SAYS(refusal([&] { 2.0f / matrix; }),
              "[Div] C1: the operand shapes must be equal; got [] and [2, 3]");
  EXPECT_SAYS(refusal([&] { maximum(matrix, 0.0f); }),
              "[Maximum] C1: the operand shapes must be equal; got [2, 3] and []; operators never stretch");
  EXPECT_SAYS(refusal([&] { matrix - T({3}, {1, 2, 3}); }), "got [2, 3] and [3]");
  EXPECT_SAYS(refusal([&] { 2.0f / matrix; }), "misuse_test.cpp:");
  EXPECT_EQ(tape.size(), 2u);
}

TEST(Symbols, OfAnotherProgramAreRefusedEverywhere) {
  Tape<float> other;
  const auto stranger = other.parameter(T(1.0f)).symbol();
  Tape<float> tape;
  const auto a = tape.parameter(T(1.0f));
  const auto loss = a * a;
  const Adjoints adjoints = tape.differentiate(loss, {a});
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  const auto run = network.forward(parameters, {});
  const auto gradients = run.backward(loss);
  for (const auto& action : std::initializer_list<std::function<void()>>{
           [&] { network.payload(stranger); }, [&] { network.entry({stranger}).lower(); },
           [&] { network.entry({loss}).observe({stranger}).lower(); },
           [&] { network.entry({stranger}).interpret(parameters, {}); }, [&] { run.of(stranger); },
           [&] { run.backward(stranger); }, [&] { gradients.of(stranger); },
           [&] { network.forward(parameters, {{stranger, T(1.0f)}}); }}) {
    EXPECT_SAYS(refusal(action), "the symbol of node 0 belongs to another program");
  }
  EXPECT_SAYS(refusal([&] { parameters.of(stranger); }), "node 0 is not one of these 1 parameters");
  EXPECT_SAYS(refusal([&] { parameters.with(stranger, T(1.0f)); }),
              "node 0 is not one of these 1 parameters");
  EXPECT_SAYS(refusal([&] { adjoints.of(stranger); }), "no gradient with respect to node 0 was recorded");
}

TEST(Symbols, RecordedAfterTheNetworkWasSealedAreStale) {
  Tape<float> tape;
  const auto a = tape.parameter(T(1.0f));
  const Plan<float> plan = [&] {
    Network<float> first = std::move(tape).seal();
    const Plan<float> lowered = first.entry({a}).lower();
    tape = std::move(first).reopen();
    return lowered;
  }();
  const auto again = tape.resolve(a);
  const auto later = (again + again).symbol();
  const Network<float> second = std::move(tape).seal();
  const auto run = plan.forward(second.parameters(), {});
  EXPECT_SAYS(refusal([&] { run.of(later); }),
              "the symbol of node 1 was recorded after this program's 1 nodes");
  EXPECT_EQ(second.forward(second.parameters(), {}).of(later).item(), 2.0f);
}

TEST(Networks, ThatWereReopenedOrMovedFromAnswerNothing) {
  Tape<float> tape;
  const auto a = tape.parameter(T(1.0f));
  Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  const Tape<float> reopened = std::move(network).reopen();
  Tape<float> other;
  other.leaf(T(1.0f));
  Network<float> source = std::move(other).seal();
  const Network<float> target = std::move(source);
  for (Network<float>* one : {&network, &source}) {
    for (const auto& action : std::initializer_list<std::function<void()>>{
             [&] { one->size(); }, [&] { one->graph(); }, [&] { one->describe(); },
             [&] { one->parameters(); }, [&] { one->payload(a); }, [&] { one->entry({a}); },
             [&] { one->forward(parameters, {}); }, [&] { std::move(*one).reopen(); }}) {
      EXPECT_SAYS(refusal(action), "this network was moved from or reopened");
    }
  }
  EXPECT_EQ(reopened.size(), 1u);
  EXPECT_EQ(target.size(), 1u);
}

TEST(ParametersMisuse, OfAnotherProgramOrAnotherShapeAreRefused) {
  Tape<float> tape;
  const auto a = tape.parameter(T({2}, {1, 2}));
  const auto x = tape.input(T({2}, {0, 0}));
  const auto loss = sum(a * x);
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  Tape<float> twin_tape;
  twin_tape.parameter(T({2}, {1, 2}));
  const Network<float> twin = std::move(twin_tape).seal();
  const Plan<float> plan = network.entry({loss}).lower();
  for (const auto& action : std::initializer_list<std::function<void()>>{
           [&] { plan.forward(twin.parameters(), {}); }, [&] { network.forward(twin.parameters(), {}); },
           [&] { network.entry({loss}).interpret(twin.parameters(), {}); }}) {
    EXPECT_SAYS(refusal(action),
                "the parameters do not fit the program: it has 1 parameters, 1 were given, of another");
  }
  EXPECT_SAYS(refusal([&] { parameters.step(twin.parameters(), sgd(0.1f)); }), "of the same program");
  EXPECT_SAYS(refusal([&] { parameters.carried_to(twin); }), "only to a later state of their own program");
  EXPECT_SAYS(refusal([&] { parameters.with(a, T(1.0f)); }),
              "parameter 0 has shape [2]; got a tensor of shape []");
  EXPECT_SAYS(refusal([&] { parameters.of(x); }), "node 1 is not one of these 1 parameters");
  EXPECT_SAYS(refusal([&] { Parameters<float>(network.graph(), {}); }),
              "the program has 1 parameters; got 0 tensors");
  EXPECT_SAYS(refusal([&] { Parameters<float>(network.graph(), {T(1.0f)}); }),
              "parameter 0 (node 0) has shape [2]");
  EXPECT_SAYS(refusal([&] { parameters.step(parameters, [](const T&, const T&) { return T(1.0f); }); }),
              "an update cannot change a parameter's shape: parameter 0 went from [2] to []");
}

TEST(FeedsMisuse, OfTheWrongShapeOrNodeOrTwiceAreRefused) {
  Tape<float> tape;
  const auto a = tape.parameter(T({2}, {1, 2}));
  const auto x = tape.input(T({2}, {3, 4}));
  const auto product = a * x;
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  const Plan<float> plan = network.entry({product}).lower();
  const T good({2}, {5, 6});
  const auto refused = [&](const Feeds<float>& feeds) {
    const std::string message = refusal([&] { plan.forward(parameters, feeds); });
    EXPECT_EQ(message, refusal([&] { network.entry({product}).interpret(parameters, feeds); }));
    return message;
  };
  EXPECT_EQ(refused({{x, T(1.0f)}}), "input node 1 has shape [2]; the feed has shape []");
  EXPECT_EQ(refused({{a, good}}), "only an input can be fed; node 0 is a Parameter");
  EXPECT_EQ(refused({{product, good}}), "only an input can be fed; node 2 is a Mul");
  EXPECT_EQ(refused({{x, good}, {x, good}}), "input node 1 is fed twice");
  EXPECT_EQ(describe(plan.forward(parameters, {{x, good}}).of(product)), "[5, 12]");
  EXPECT_EQ(describe(plan.forward(parameters, {}).of(product)), "[3, 8]");
}

}  // namespace
}  // namespace topos
