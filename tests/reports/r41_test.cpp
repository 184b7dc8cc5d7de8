// The calling convention of an emitted module: plan.arguments() in, plan.results() out, whatever is unused,
// repeated, an argument itself or a constant.
#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Convention : public ::testing::Test {};
TYPED_TEST_SUITE(Convention, ElementTypes);
template <class E>
class ConventionText : public EmittedText {};
TYPED_TEST_SUITE(ConventionText, ElementTypes);

/// main(a[2], u[3] unused, b[2]) -> (a + b, b, b, a + b)
template <class E>
struct Sums {
  Tape<E> tape;
  Value<E> a = tape.input(tensor<E>({2}, {1, 2}));
  Value<E> u = tape.input(tensor<E>({3}, {7, 8, 9}));
  Value<E> b = tape.input(tensor<E>({2}, {100, 200}));
  Value<E> total = a + b;
};

TYPED_TEST(Convention, lists_what_the_results_depend_on_and_each_result_once) {
  using E = TypeParam;
  Sums<E> sums;
  const Symbols expected_arguments{sums.a, sums.b};
  const Symbols expected_results{sums.total, sums.b};
  const Symbols roots{sums.total, sums.b, sums.b, sums.total};
  const Symbol unused = sums.u;
  const Network<E> network = std::move(sums.tape).seal();
  const Plan<E> plan = network.entry(roots).lower();
  EXPECT_EQ(plan.arguments(), expected_arguments);
  EXPECT_EQ(plan.results(), expected_results);
  const Run<E> run = plan.forward(network.parameters(), {{unused, tensor<E>({3}, {0, 0, 0})}});
  EXPECT_TRUE(same(run.of(roots[3]), tensor<E>({2}, {101, 202})))
      << "a repeated root is answered as often as asked";
  EXPECT_TRUE(same(run.of(roots[2]), tensor<E>({2}, {100, 200})));
  EXPECT_THROW(plan.forward(network.parameters(), {{unused, tensor<E>({2}, {0, 0})}}), UsageError)
      << "an unused feed is still checked";
}

TYPED_TEST(Convention, puts_parameters_before_inputs_each_in_recording_order) {
  using E = TypeParam;
  Tape<E> tape;
  const auto first_input = tape.input(tensor<E>({1}, {1}));
  const auto first_parameter = tape.parameter(tensor<E>({2}, {1, 2}));
  const auto second_input = tape.input(tensor<E>({3}, {1, 2, 3}));
  const auto second_parameter = tape.parameter(tensor<E>({4}, {1, 2, 3, 4}));
  const Symbols roots{second_input, second_parameter, first_input, first_parameter};
  const Symbols expected{first_parameter, second_parameter, first_input, second_input};
  const Plan<E> plan = std::move(tape).seal().entry(roots).lower();
  EXPECT_EQ(plan.arguments(), expected);
  const std::string name(sizeof(E) == 4 ? "f32" : "f64");
  const auto type = [&](int extent) { return "tensor<" + std::to_string(extent) + "x" + name + ">"; };
  const std::string text = emit_stablehlo(plan);
  EXPECT_NE(text.find("@main(%arg0: " + type(2) + ", %arg1: " + type(4) + ", %arg2: " + type(1) +
                      ", %arg3: " + type(3) + ") -> (" + type(3) + ", " + type(4) + ", " + type(1) + ", " +
                      type(2) + ")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("return %arg3, %arg1, %arg2, %arg0 :"), std::string::npos) << text;
}

TYPED_TEST(Convention, puts_observed_values_after_the_roots) {
  using E = TypeParam;
  Sums<E> sums;
  const Symbols expected{sums.total, sums.a};
  const Symbol total = sums.total, a = sums.a;
  EXPECT_EQ(std::move(sums.tape).seal().entry({total}).observe({a, total}).lower().results(), expected);
}

TYPED_TEST(Convention, needs_a_result) {
  using E = TypeParam;
  Sums<E> sums;
  const Plan<E> plan = std::move(sums.tape).seal().entry({}).lower();
  EXPECT_THROW(emit_stablehlo(plan), UsageError);
}

TYPED_TEST(Convention, gives_an_unused_input_a_gradient_of_zeros) {
  using E = TypeParam;
  const Reading<E> reading =
      evaluate<E>([](const auto& v) { return v[0] * v[0]; },
                  {tensor<E>({2}, {1, 2}), tensor<E>({3, 0}, {}), tensor<E>({2, 2}, {1, 2, 3, 4})});
  EXPECT_TRUE(same(reading.gradients[1], tensor<E>({3, 0}, {})));
  EXPECT_TRUE(same(reading.gradients[2], Tensor<E>::filled({2, 2}, E(0))));
  // so does one that was recorded after the loss, and one that only reaches it as data
  Tape<E> tape;
  const Value<E> x = tape.parameter(tensor<E>({2}, {1, 2}));
  const Value<E> loss = sum(step(x, x));
  const Value<E> late = tape.parameter(tensor<E>({3}, {1, 2, 3}));
  const Adjoints adjoints = tape.differentiate(loss, {x, late});
  const Network<E> network = std::move(tape).seal();
  const Run<E> run = network.forward(network.parameters(), {});
  EXPECT_TRUE(same(run.of(adjoints.of(x)), tensor<E>({2}, {0, 0})));
  EXPECT_TRUE(same(run.of(adjoints.of(late)), tensor<E>({3}, {0, 0, 0})));
  EXPECT_TRUE(same(run.backward(loss).of(late), tensor<E>({3}, {0, 0, 0})));
}

TYPED_TEST(Convention, gives_a_repeated_request_the_same_gradient) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.parameter(tensor<E>({2}, {1, 2}));
  const Adjoints adjoints = tape.differentiate(sum(x * x), {x, x});
  EXPECT_EQ(adjoints.pairs()[0].gradient, adjoints.pairs()[1].gradient);
  EXPECT_EQ(adjoints.roots().size(), 3u);
}

TYPED_TEST(ConventionText, holds_for_unused_and_repeated_values) {
  using E = TypeParam;
  Sums<E> sums;
  const Symbols roots{sums.total, sums.b, sums.b, sums.total};
  const auto results = evaluate_text<E>(std::move(sums.tape).seal().entry(roots).lower(),
                                        {tensor<E>({2}, {1, 2}), tensor<E>({2}, {100, 200})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(same(results[0], tensor<E>({2}, {101, 202})));
  EXPECT_TRUE(same(results[1], tensor<E>({2}, {100, 200})));
}

TYPED_TEST(ConventionText, holds_for_results_that_are_arguments_or_constants) {
  using E = TypeParam;
  Tape<E> tape;
  const auto a = tape.input(tensor<E>({2}, {1, 2}));
  const auto constant = tape.leaf(tensor<E>({2}, {3, 4}));
  const Symbols roots{a, constant, sum(tape.input(tensor<E>({}, {5})))};
  const Network<E> network = std::move(tape).seal();
  const auto identity = evaluate_text<E>(network.entry({a}).lower(), {tensor<E>({2}, {8, 9})});
  EXPECT_TRUE(same(identity[0], tensor<E>({2}, {8, 9})));
  const auto nothing_in = evaluate_text<E>(network.entry({constant}).lower(), {});
  EXPECT_TRUE(same(nothing_in[0], tensor<E>({2}, {3, 4})));
  const auto all =
      evaluate_text<E>(network.entry(roots).lower(), {tensor<E>({2}, {8, 9}), tensor<E>({}, {7})});
  EXPECT_TRUE(same(all[0], tensor<E>({2}, {8, 9})));
  EXPECT_TRUE(same(all[1], tensor<E>({2}, {3, 4})));
  EXPECT_TRUE(same(all[2], tensor<E>({}, {7}))) << "a sum of rank 0 is its operand";
}

TYPED_TEST(ConventionText, holds_for_a_gradient_of_zeros) {
  using E = TypeParam;
  const Function<E> function = [](const auto& v) { return v[0] * v[0]; };
  const std::vector<Tensor<E>> at{tensor<E>({2}, {1, 2}), tensor<E>({3}, {1, 2, 3})};
  EXPECT_TRUE(same(evaluate_text(function, at), evaluate(function, at)));
}

}  // namespace
}  // namespace topos::reports
