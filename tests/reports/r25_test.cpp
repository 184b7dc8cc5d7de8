// Rewrites that hold for real numbers and not for these: none is made, at home or in the text, for a constant
// or for an argument.
#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Identities : public ::testing::Test {};
TYPED_TEST_SUITE(Identities, ElementTypes);
template <class E>
class IdentitiesText : public EmittedText {};
TYPED_TEST_SUITE(IdentitiesText, ElementTypes);

/// An expression that a rewrite would change, operands that show it, and the right value.
template <class E>
struct Case {
  const char* rewrite;
  Function<E> function;
  std::vector<Tensor<E>> at;
  Tensor<E> value;
};

template <class E>
std::vector<Case<E>> cases() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto row = [](const std::vector<double>& elements) {
    return tensor<E>({static_cast<Extent>(elements.size())}, elements);
  };
  const double overflowing = sizeof(E) == 4 ? 100 : 800;
  const double largest = std::numeric_limits<E>::max();
  const double half_unit = std::numeric_limits<E>::epsilon() / 2;
  const auto fill = [](const Value<E>& x, double element) { return x.constant(x.shape(), element); };
  return {
      {"maximum(+0, -0)",
       [](const auto& v) { return maximum(v[0], v[1]); },
       {row({0, -0.0}), row({-0.0, 0})},
       row({0, 0})},
      {"1 / maximum(-0, +0)",
       [=](const auto& v) { return fill(v[0], 1) / maximum(v[0], v[1]); },
       {row({-0.0}), row({0})},
       row({inf})},
      {"x^0.5 to sqrt(x)",
       [=](const auto& v) { return pow(v[0], fill(v[0], 0.5)); },
       {row({-0.0, -inf})},
       row({0, inf})},
      {"sqrt(x) to x^0.5", [](const auto& v) { return sqrt(v[0]); }, {row({-0.0, -inf})}, row({-0.0, nan})},
      {"log(exp(x)) to x",
       [](const auto& v) { return log(exp(v[0])); },
       {row({overflowing, -10 * overflowing})},
       row({inf, -inf})},
      {"exp(log(x)) to x", [](const auto& v) { return exp(log(v[0])); }, {row({-1, -0.0})}, row({nan, 0})},
      {"x * 0 to 0",
       [=](const auto& v) { return v[0] * fill(v[0], 0); },
       {row({inf, nan, -1})},
       row({nan, nan, -0.0})},
      {"x - x to 0", [](const auto& v) { return v[0] - v[0]; }, {row({inf, nan, -1})}, row({nan, nan, 0})},
      {"x / x to 1", [](const auto& v) { return v[0] / v[0]; }, {row({0, inf, nan})}, row({nan, nan, nan})},
      {"0 - x to -x", [=](const auto& v) { return fill(v[0], 0) - v[0]; }, {row({0, -0.0})}, row({0, 0})},
      {"-x to 0 - x", [](const auto& v) { return -v[0]; }, {row({0, -0.0})}, row({-0.0, 0})},
      {"x + 0 to x", [=](const auto& v) { return v[0] + fill(v[0], 0); }, {row({-0.0})}, row({0})},
      {"(x + y) - y to x",
       [](const auto& v) { return v[0] + v[1] - v[1]; },
       {row({1, 1}), row({largest, inf})},
       row({0, nan})},
      {"(x * y) / y to x",
       [](const auto& v) { return v[0] * v[1] / v[1]; },
       {row({largest, 1}), row({2, 0})},
       row({inf, nan})},
      {"x + (y + z) to (x + y) + z",
       [=](const auto& v) { return v[0] + (v[0] + fill(v[0], half_unit)); },
       {row({half_unit})},
       row({3 * half_unit})},
      {"(x + y) + z to x + (y + z)",
       [](const auto& v) { return v[0] + v[1] + v[1]; },
       {row({1}), row({half_unit})},
       row({1})},
      {"a * b + c to a fused product",
       [](const auto& v) { return v[0] * v[1] + v[2]; },
       {row({1 + 2 * half_unit}), row({1 + 2 * half_unit}), row({-(1 + 4 * half_unit)})},
       row({0})},
      {"x / y to x * (1 / y)", [](const auto& v) { return v[0] / v[1]; }, {row({5}), row({5})}, row({1})},
      {"sqrt(x) * sqrt(x) to x",
       [](const auto& v) { return sqrt(v[0]) * sqrt(v[0]); },
       {row({-1})},
       row({nan})},
      {"x^1 and x^2 to products",
       [=](const auto& v) { return pow(v[0], fill(v[0], 2)) - v[0] * v[0]; },
       {row({inf, 3})},
       row({nan, 0})},
  };
}

TYPED_TEST(Identities, of_real_numbers_are_not_applied) {
  using E = TypeParam;
  for (const Case<E>& c : cases<E>()) {
    SCOPED_TRACE(c.rewrite);
    EXPECT_TRUE(same(evaluate(c.function, c.at).value, c.value));
    const Function<E> of_constants = [&](const std::vector<Value<E>>& v) {
      std::vector<Value<E>> constants;
      for (const Tensor<E>& operand : c.at) constants.push_back(v[0].leaf(operand));
      return c.function(constants);
    };
    EXPECT_TRUE(same(evaluate(of_constants, {Tensor<E>(E(0))}).value, c.value)) << "of constants";
  }
}

TYPED_TEST(Identities, leave_every_wanted_node_in_the_plan_and_in_the_text) {
  using E = TypeParam;
  Tape<E> tape;
  const Value<E> x = tape.parameter(tensor<E>({2, 2}, {1, 2, 3, 4}));
  Value<E> y = x;
  y = permute(permute(y, {1, 0}), {1, 0});
  y = reshape(reshape(y, {4}), {2, 2});
  y = log(exp(-(-y)));
  y = y * y.constant(y.shape(), 1) + y.constant(y.shape(), 0);
  const std::size_t nodes = tape.size();
  const Plan<E> plan = std::move(tape).seal().entry({y}).lower();
  EXPECT_EQ(plan.schedule().wanted().size(), nodes);
  const std::string text = emit_stablehlo(plan);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  EXPECT_GE(lines, nodes - 1) << text;
}

TYPED_TEST(Identities, sums_start_from_plus_zero) {
  using E = TypeParam;
  const auto zeros = Tensor<E>::filled({3}, E(-0.0));
  const Reading<E> reading = evaluate<E>([](const auto& v) { return sum_along(v[0], 0); }, {zeros});
  EXPECT_TRUE(same(reading.value, tensor<E>({}, {0})));
  EXPECT_TRUE(same(evaluate<E>([](const auto& v) { return sum(v[0]); }, {zeros}).value, tensor<E>({}, {0})));
  // a single element of rank 0 is its own sum
  EXPECT_TRUE(same(evaluate<E>([](const auto& v) { return sum(v[0]); }, {Tensor<E>(E(-0.0))}).value,
                   Tensor<E>(E(-0.0))));
}

TYPED_TEST(IdentitiesText, of_real_numbers_are_not_applied) {
  using E = TypeParam;
  for (const Case<E>& c : cases<E>()) {
    SCOPED_TRACE(c.rewrite);
    EXPECT_TRUE(same(evaluate_text(c.function, c.at).value, c.value));
  }
}

// Known of another compiler: the text asks for an infinity, XLA replaces log(exp(x)) by x.
TEST_F(EmittedText, is_compiled_by_xla_with_log_of_exp_removed) {
  const Function<float> function = [](const auto& v) { return log(exp(v[0])); };
  const Tensor<float> at(100.0f);
  EXPECT_EQ(evaluate(function, {at}).value.item(), infinity<float>);
  EXPECT_EQ(evaluate_text(function, {at}, Evaluator::xla).value.item(), 100.0f);
}

}  // namespace
}  // namespace topos::reports
