// Each operation abroad, forward and gradient, over ordinary and special shapes. A module holds all cases of
// one operation; what its results may differ by is the operation's line in support/envelope.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <set>

#include "support/foreign.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

/// Where an operand's elements lie.
struct Domain {
  double low = -2.0;
  double high = 2.0;
};

template <class E>
Tensor<E> drawn(const Shape& shape, const Domain& domain, SplitMix64& random) {
  std::vector<E> elements;
  for (Extent i = 0; i < shape.volume(); ++i) {
    elements.push_back(static_cast<E>(domain.low + (domain.high - domain.low) * random.unit()));
  }
  return Tensor<E>(shape, std::move(elements));
}

/// One application: the operands' shapes, and the domains of the first and the second.
struct Case {
  Operation operation;
  std::vector<Shape> shapes;
  Domain first = {};
  Domain second = {};
  std::vector<std::int64_t> selected = {};  ///< not empty, or `selects`: the second operand is this selection
  bool selects = false;
};

const std::vector<Shape>& special_shapes() {
  static const std::vector<Shape> shapes{
      {}, {1}, {0}, {7}, {17}, {2, 3}, {2, 0, 3}, {1, 1, 5}, {2, 1, 2, 1, 3}, {33}, {200}};
  return shapes;
}

std::vector<Case> elementwise(const Operation& operation, const Domain& first = {},
                              const Domain& second = {}) {
  std::vector<Case> cases;
  for (const Shape& shape : special_shapes()) {
    cases.push_back({operation, std::vector<Shape>(operation.arity(), shape), first, second});
  }
  return cases;
}

using CasesByName = std::map<std::string_view, std::vector<Case>>;

CasesByName elementwise_cases() {
  CasesByName cases;
  for (const Operation& operation :
       {make_operation<Add>(), make_operation<Subtract>(), make_operation<Multiply>(),
        make_operation<Negate>(), make_operation<Maximum>(), make_operation<Step>()}) {
    cases[operation.name()] = elementwise(operation);
  }
  cases["Convert"] = elementwise(make_operation<Convert>(Precision::working));
  cases["Div"] = elementwise(make_operation<Divide>(), {}, {0.25, 4.0});
  cases["Exp"] = elementwise(make_operation<Exp>(), {-20.0, 20.0});
  cases["Ln"] = elementwise(make_operation<Log>(), {0.01, 10.0});
  cases["Sqrt"] = elementwise(make_operation<Sqrt>(), {0.01, 10.0});
  cases["Tanh"] = elementwise(make_operation<Tanh>(), {-10.0, 10.0});
  cases["Sin"] = elementwise(make_operation<Sin>(), {-30.0, 30.0});
  cases["Cos"] = elementwise(make_operation<Cos>(), {-30.0, 30.0});
  cases["Log1p"] = elementwise(make_operation<Log1p>(), {-0.9, 10.0});
  cases["Expm1"] = elementwise(make_operation<Expm1>(), {-10.0, 10.0});
  cases["Erf"] = elementwise(make_operation<Erf>(), {-4.0, 4.0});
  cases["ErfDerivative"] = elementwise(make_operation<ErfDerivative>(), {-4.0, 4.0});
  cases["Powf"] = elementwise(make_operation<Power>(), {0.1, 10.0}, {-4.0, 4.0});
  return cases;
}

CasesByName moving_cases() {
  CasesByName cases;
  for (const Shape& target : special_shapes()) {
    cases["Broadcast"].push_back({make_operation<Broadcast>(target), {Shape()}});
    cases["Broadcast"].push_back({make_operation<Broadcast>(target), {Shape{1, 1}}});
  }
  for (const Extent count : {0, 1, 3}) {
    cases["BroadcastAlong"].push_back({make_operation<BroadcastAlong>(0, count), {Shape()}});
    for (const Axis axis : {0, 1, 2})
      cases["BroadcastAlong"].push_back({make_operation<BroadcastAlong>(axis, count), {Shape{2, 3}}});
    cases["BroadcastAlong"].push_back({make_operation<BroadcastAlong>(1, count), {Shape{2, 0}}});
  }
  cases["Reshape"] = {{make_operation<Reshape>(Shape({6})), {Shape{2, 3}}},
                      {make_operation<Reshape>(Shape({3, 1, 2})), {Shape{2, 3}}},
                      {make_operation<Reshape>(Shape({})), {Shape{1, 1}}},
                      {make_operation<Reshape>(Shape({1, 1})), {Shape()}},
                      {make_operation<Reshape>(Shape({0, 5})), {Shape{2, 0}}},
                      {make_operation<Reshape>(Shape({2, 3})), {Shape{2, 3}}},
                      {make_operation<Reshape>(Shape({2, 2, 2})), {Shape{4, 2}}}};
  cases["Permute"] = {{make_operation<Permute>(std::vector<Axis>{}), {Shape()}},
                      {make_operation<Permute>(std::vector<Axis>{1, 0}), {Shape{2, 3}}},
                      {make_operation<Permute>(std::vector<Axis>{0, 1}), {Shape{2, 3}}},
                      {make_operation<Permute>(std::vector<Axis>{2, 0, 1}), {Shape{2, 3, 4}}},
                      {make_operation<Permute>(std::vector<Axis>{2, 0, 1}), {Shape{2, 0, 4}}},
                      {make_operation<Permute>(std::vector<Axis>{4, 3, 2, 1, 0}), {Shape{2, 1, 3, 1, 2}}}};
  cases["Narrow"] = {{make_operation<Narrow>(0, 0, 0), {Shape{3}}},
                     {make_operation<Narrow>(0, 1, 2), {Shape{3}}},
                     {make_operation<Narrow>(1, 2, 1), {Shape{2, 3}}},
                     {make_operation<Narrow>(0, 3, 0), {Shape{3, 2}}},
                     {make_operation<Narrow>(0, 0, 2), {Shape{2, 0}}},
                     {make_operation<Narrow>(2, 1, 2), {Shape{2, 2, 4, 1}}}};
  cases["Pad"] = {
      {make_operation<Pad>(0, 0, 3), {Shape{3}}},         {make_operation<Pad>(0, 2, 6), {Shape{3}}},
      {make_operation<Pad>(1, 1, 4), {Shape{2, 3}}},      {make_operation<Pad>(0, 1, 3), {Shape{0}}},
      {make_operation<Pad>(1, 1, 2), {Shape{2, 0, 3}}},   {make_operation<Pad>(0, 1, 4), {Shape{3, 0}}},
      {make_operation<Pad>(2, 0, 5), {Shape{2, 2, 4, 1}}}};
  return cases;
}

CasesByName window_cases() {
  CasesByName cases;
  for (const auto& [shape, axis] : std::vector<std::pair<Shape, Axis>>{
           {{7}, 0}, {{2, 7}, 1}, {{7, 2}, 0}, {{2, 7, 3}, 1}, {{7, 0}, 0}, {{2, 2, 7, 1}, 2}}) {
    for (const Extent size : {1, 2, 3}) {
      for (const Extent step : {1, 2, 4}) {
        for (const Extent dilation : {1, 2}) {
          cases["Unfold"].push_back({make_operation<Unfold>(axis, size, step, dilation), {shape}});
          const Shape windows =
              shape.with_extent(axis, window_count(7, size, step, dilation)).with_axis(axis + 1, size);
          cases["Fold"].push_back({make_operation<Fold>(axis, size, step, dilation, 7), {windows}});
        }
      }
    }
  }
  return cases;
}

CasesByName reduction_cases() {
  CasesByName cases;
  for (const Shape& shape : special_shapes()) {
    cases["Sum"].push_back({make_operation<Sum>(), {shape}});
    for (Axis axis = 0; axis < shape.rank(); ++axis) {
      cases["SumAlong"].push_back({make_operation<SumAlong>(axis), {shape}});
      cases["LogSoftmax"].push_back({make_operation<LogSoftmax>(axis), {shape}, {-20.0, 20.0}});
      cases["LogSumExp"].push_back({make_operation<LogSumExp>(axis), {shape}, {-20.0, 20.0}});
    }
  }
  cases["Sum"].push_back({make_operation<Sum>(), {Shape{5000}}});
  cases["SumAlong"].push_back({make_operation<SumAlong>(0), {Shape{5000, 2}}});
  cases["LogSoftmax"].push_back({make_operation<LogSoftmax>(1), {Shape{3, 8}}, {1e4, 1.0001e4}});
  for (const Extent m : {0, 1, 3}) {
    for (const Extent k : {0, 1, 2, 17}) {
      for (const Extent n : {0, 1, 4})
        cases["MatMul"].push_back({make_operation<MatMul>(), {Shape{m, k}, Shape{k, n}}});
    }
  }
  cases["MatMul"].push_back({make_operation<MatMul>(), {Shape{2, 3, 4}, Shape{2, 4, 2}}});
  cases["MatMul"].push_back({make_operation<MatMul>(), {Shape{0, 3, 4}, Shape{0, 4, 2}}});
  cases["MatMul"].push_back({make_operation<MatMul>(), {Shape{2, 1, 3, 4}, Shape{2, 1, 4, 2}}});
  cases["MatMul"].push_back({make_operation<MatMul>(), {Shape{2, 3, 0}, Shape{2, 0, 2}}});
  return cases;
}

CasesByName selecting_cases() {
  CasesByName cases;
  const auto add = [&](const Operation& operation, Shape operand, std::vector<std::int64_t> selected,
                       Extent classes) {
    const Shape selection({static_cast<Extent>(selected.size()), classes});
    cases[operation.name()].push_back({.operation = operation,
                                       .shapes = {std::move(operand), selection},
                                       .selected = std::move(selected),
                                       .selects = true});
  };
  for (const Shape& row : {Shape{}, Shape{1}, Shape{3}, Shape{2, 2}, Shape{0}, Shape{1, 2, 3}}) {
    add(make_operation<Gather>(), row.with_axis(0, 4), {0, 3, 1, 1, 2}, 4);
    add(make_operation<Gather>(), row.with_axis(0, 1), {0, 0}, 1);
    add(make_operation<Gather>(), row.with_axis(0, 4), {}, 4);
    add(make_operation<Scatter>(), row.with_axis(0, 5), {2, 0, 2, 2, 1}, 4);
    add(make_operation<Scatter>(), row.with_axis(0, 1), {0}, 1);
    add(make_operation<Scatter>(), row.with_axis(0, 0), {}, 3);
  }
  return cases;
}

const CasesByName& cases_by_name() {
  static const CasesByName cases = [] {
    CasesByName all = elementwise_cases();
    for (CasesByName part : {moving_cases(), window_cases(), reduction_cases(), selecting_cases()})
      all.merge(part);
    return all;
  }();
  return cases;
}

/// Records every case with fresh inputs; the results are the values and the gradients of a weighted sum of
/// them.
template <class E>
void expect_cases_conform(const std::vector<Case>& cases, const std::string& label,
                          Precision held = Precision::working) {
  Tape<E> tape;
  SplitMix64 random(11);
  std::vector<Value<E>> losses;
  Symbols results, operands;
  for (const Case& one : cases) {
    std::vector<Value<E>> values;
    values.push_back(tape.input(drawn<E>(one.shapes[0], one.first, random)));
    if (one.selects) {
      values.push_back(tape.leaf(Tensor<E>::selection(one.selected, one.shapes[1][1])));
    } else if (one.shapes.size() == 2) {
      values.push_back(tape.input(drawn<E>(one.shapes[1], one.second, random)));
    }
    for (Value<E>& operand : values) {
      if (tape.graph()[operand.index()].operation.template is<Input>()) operands.push_back(operand.symbol());
      operand = convert(operand, held);
    }
    const Value<E> value = Value<E>::apply(one.operation, values, Where::current());
    losses.push_back(
        convert(sum(value * value.leaf(drawn<E>(value.shape(), {}, random))), Precision::working));
    results.push_back(value.symbol());
  }
  Value<E> loss = losses[0];
  for (std::size_t i = 1; i < losses.size(); ++i) loss = loss + losses[i];
  const Adjoints adjoints = tape.differentiate(loss, operands);
  for (const Adjoints::Pair& pair : adjoints.pairs()) results.push_back(pair.gradient);
  const Network<E> network = std::move(tape).seal();
  expect_conformant(network.entry(results).lower(), network.parameters(), {}, {.label = label});
}

class Operations : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Operations, mean_the_same_abroad) {
  const auto found = cases_by_name().find(GetParam());
  ASSERT_NE(found, cases_by_name().end()) << GetParam() << " has no cases";
  expect_cases_conform<float>(found->second, std::string(GetParam()) + " f32");
  expect_cases_conform<double>(found->second, std::string(GetParam()) + " f64");
  expect_cases_conform<Bf16>(found->second, std::string(GetParam()) + " bf16");
  expect_cases_conform<float>(found->second, std::string(GetParam()) + " f32 held in bf16", Precision::bf16);
}

std::vector<std::string_view> computed_operations() {
  std::vector<std::string_view> names;
  for (const topos::detail::OperationInfo* info : topos::detail::vocabulary()) {
    if (!info->is_source) names.push_back(info->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(OpList, Operations, ::testing::ValuesIn(computed_operations()),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(Allowances, name_each_operation_once_and_give_a_reason) {
  std::multiset<std::string_view> named;
  for (const Allowance& row : allowances) {
    for (const auto name : std::views::split(row.operations, ' ')) named.emplace(name.begin(), name.end());
    EXPECT_FALSE(row.reason.empty()) << row.operations;
  }
  for (const topos::detail::OperationInfo* info : topos::detail::vocabulary()) {
    EXPECT_EQ(named.count(info->name), 1u) << info->name << " needs a place in support/envelope.hpp";
  }
  EXPECT_EQ(named.size(), topos::detail::vocabulary().size());
}

TEST(Allowances, leave_a_wrong_result_outside) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>({2}, {0.5f, 1.0f}));
  const auto y = exp(x) + x;
  const Symbol result = y.symbol();
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({result}).lower();
  const auto run = network.entry({result}).interpret(network.parameters(), {});
  for (const Engine engine : engines) {
    const ErrorBounds<float> bounds(plan, run, engine);
    const Elements<float> ours = run.of(result).elements();
    const float off_by = 1e-6f;
    const Tensor<float> theirs({2}, {ours[0], ours[1] + 2.0f * off_by});
    Witness witness;
    EXPECT_TRUE(within_bounds(run.of(result), run.of(result), bounds.of(result.index()), 1.0, "", witness));
    EXPECT_FALSE(within_bounds(theirs, run.of(result), bounds.of(result.index()), 1.0, "", witness));
    EXPECT_FALSE(within_bounds(Tensor<float>({1, 2}, {ours[0], ours[1]}), run.of(result),
                               bounds.of(result.index()), 1.0, "", witness));
    const Tensor<float> invalid({2}, {ours[0], std::numeric_limits<float>::quiet_NaN()});
    EXPECT_FALSE(within_bounds(invalid, run.of(result), bounds.of(result.index()), 1.0, "", witness));
  }
}

}  // namespace
}  // namespace topos::testing
