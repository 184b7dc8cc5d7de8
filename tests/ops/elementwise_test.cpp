// Elementwise operations: what each must compute, and the conventions of those with corners.
#include <gtest/gtest.h>

#include <cmath>

#include "support/op_cases.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

/// Empty, scalar, and one below, at and above the widths of vectors of 4, 8 and 16.
std::vector<Shape> elementwise_shapes() {
  std::vector<Shape> shapes{Shape(), {0}, {3, 0, 2}, {2, 3, 1}};
  for (const Extent extent : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}) shapes.push_back({extent});
  return shapes;
}

/// Special elements in turn with others, beginning at another one for each shape.
template <class E>
Tensor<E> mixed(const Shape& shape, std::size_t first) {
  const std::vector<E> special = special_elements<E>();
  std::vector<E> elements = scattered<E>(shape.volume(), static_cast<std::uint32_t>(first));
  for (std::size_t i = 0; i < elements.size(); i += 2)
    elements[i] = special[(first + i / 2) % special.size()];
  return Tensor<E>(shape, std::move(elements));
}

template <class E, class Reference>
std::vector<ValueCase<E>> unary_values(const Operation& operation, Reference reference, int ulps) {
  std::vector<Tensor<E>> operands;
  std::size_t first = 0;
  for (const Shape& shape : elementwise_shapes()) operands.push_back(mixed<E>(shape, first += 7));
  const std::vector<E> special = special_elements<E>();
  operands.emplace_back(Shape({static_cast<Extent>(special.size())}), special);
  operands.push_back(scattered<E>(Shape({200})));
  // The same elements as views: one element repeated, axes in another order, every second element.
  operands.push_back(Tensor<E>::filled({2, 5}, E(0.75)));
  operands.push_back(scattered<E>(Shape({3, 5})).permuted(std::vector<Axis>{1, 0}));
  operands.push_back(scattered<E>(Shape({9})).unfolded(0, 1, 2, 1));
  std::vector<ValueCase<E>> cases;
  for (const Tensor<E>& x : operands) {
    cases.push_back(
        {operation, {x}, tabulated<E>(x.shape(), [&](const auto& i) { return reference(at(x, i)); }), ulps});
  }
  return cases;
}

template <class E, class Reference>
std::vector<ValueCase<E>> binary_values(const Operation& operation, Reference reference, int ulps) {
  std::vector<std::array<Tensor<E>, 2>> operands;
  std::size_t first = 0;
  for (const Shape& shape : elementwise_shapes()) {
    operands.push_back({mixed<E>(shape, first + 3), mixed<E>(shape, first + 8)});
    first += 7;
  }
  // Every special element against every other, and against its equal.
  const std::vector<E> special = special_elements<E>();
  const auto count = static_cast<Extent>(special.size());
  const Tensor<E> specials(Shape({count}), special);
  operands.push_back({specials.broadcast_along(0, count), specials.broadcast_along(1, count)});
  operands.push_back({Tensor<E>::filled({2, 5}, E(0.75)), Tensor<E>::filled({2, 5}, E(-1.5))});
  operands.push_back({Tensor<E>::filled({2, 5}, E(0.75)), scattered<E>(Shape({2, 5}))});
  std::vector<ValueCase<E>> cases;
  for (const auto& [a, b] : operands) {
    cases.push_back({operation,
                     {a, b},
                     tabulated<E>(a.shape(), [&, &x = a, &y = b](
                                                 const auto& i) { return reference(at(x, i), at(y, i)); }),
                     ulps});
  }
  return cases;
}

/// The C library's function with the 64 bits of long double, rounded once: to f32 the correctly rounded
/// value, unless it were within 2^-39 of the middle of two floats; to f64 one within the unit that the
/// contract allows.
template <class E, class Function>
auto rounded(Function function) {
  return [function](auto... x) -> E { return static_cast<E>(function(static_cast<long double>(x)...)); };
}
constexpr int one_unit = 1;

using Values = std::span<const Value<float>>;

template <class F32, class F64>
OpCases unary(const Operation& operation, F32 f32, F64 f64, int ulps, std::vector<double> points,
              std::function<Value<float>(const Value<float>&)> function) {
  OpCases cases;
  cases.name = operation.name();
  cases.f32 = unary_values<float>(operation, f32, 0);
  cases.f64 = unary_values<double>(operation, f64, ulps);
  const Shape shape({static_cast<Extent>(points.size())});
  cases.derivatives = {{operation, {Tensor<double>(shape, std::move(points))}}};
  cases.spellings = {{[function](Values in) { return function(in[0]); }, operation, {Shape({2, 3})}}};
  return cases;
}

/// An operation of IEEE 754, written as the same expression over plain numbers.
template <class Reference>
OpCases exact_unary(const Operation& operation, Reference reference, std::vector<double> points,
                    std::function<Value<float>(const Value<float>&)> function) {
  return unary(operation, reference, reference, 0, std::move(points), std::move(function));
}
template <class Function>
OpCases rounded_unary(const Operation& operation, Function reference, std::vector<double> points,
                      std::function<Value<float>(const Value<float>&)> function) {
  return unary(operation, rounded<float>(reference), rounded<double>(reference), one_unit, std::move(points),
               std::move(function));
}

template <class F32, class F64>
OpCases binary(const Operation& operation, F32 f32, F64 f64, int ulps, std::vector<double> a,
               std::vector<double> b,
               std::function<Value<float>(const Value<float>&, const Value<float>&)> function) {
  OpCases cases;
  cases.name = operation.name();
  cases.f32 = binary_values<float>(operation, f32, 0);
  cases.f64 = binary_values<double>(operation, f64, ulps);
  const Shape shape({static_cast<Extent>(a.size())});
  cases.derivatives = {
      {operation, {Tensor<double>(shape, std::move(a)), Tensor<double>(shape, std::move(b))}}};
  cases.rejections = {
      {operation, {{2, 3}, {3, 2}}, "C1"}, {operation, {{2}, Shape()}, "C1"}, {operation, {{1}, {0}}, "C1"}};
  cases.spellings = {{[function](Values in) { return function(in[0], in[1]); }, operation, {{2, 3}, {2, 3}}}};
  return cases;
}
template <class Reference>
OpCases exact_binary(const Operation& operation, Reference reference, std::vector<double> a,
                     std::vector<double> b,
                     std::function<Value<float>(const Value<float>&, const Value<float>&)> function) {
  return binary(operation, reference, reference, 0, std::move(a), std::move(b), std::move(function));
}

/// IEEE 754-2019's maximum: a NaN wins, then the larger; of the two zeros, +0.
template <class E>
E larger(E a, E b) {
  if (a != a || b != b) return std::numeric_limits<E>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? E(-0.0) : E(0);
  return a < b ? b : a;
}

/// exp(-(x x)) times the rounded constant 2/sqrt(pi), each step rounded.
template <class E>
E erf_slope_reference(E x) {
  const E square = x * x;
  return static_cast<E>(std::exp(-static_cast<long double>(square))) *
         static_cast<E>(1.12837916709551257389616L);
}

/// To bf16, which is f32's alone, and to the tape's own element, which changes nothing and so has
/// differences.
OpCases conversion() {
  const auto unchanged = [](auto x) { return x; };
  const auto nearest = [](float x) -> float { return Bf16(x); };
  OpCases cases = unary(make_operation<Convert>(Precision::working), unchanged, unchanged, 0,
                        {-1.7, -0.4, 0.3, 1.1}, [](const Value<float>& x) { return convert<Bf16>(x); });
  for (auto& narrowing : unary_values<float>(make_operation<Convert>(Precision::bf16), nearest, 0))
    cases.f32.push_back(std::move(narrowing));
  cases.spellings[0].operation = make_operation<Convert>(Precision::bf16);
  return cases;
}

}  // namespace

std::vector<OpCases> elementwise_cases() {
  using V = Value<float>;
  const std::vector<double> anywhere{-1.7, -0.4, 0.3, 1.1};
  const std::vector<double> positive{0.2, 0.9, 1.6, 5.0};
  const std::vector<double> left{-1.3, 0.4, 2.5, -0.7};
  const std::vector<double> right{0.8, -1.9, 1.4, 2.2};
  std::vector<OpCases> all{
      exact_binary(
          make_operation<Add>(), [](auto a, auto b) { return a + b; }, left, right,
          [](const V& a, const V& b) { return add(a, b); }),
      exact_binary(
          make_operation<Subtract>(), [](auto a, auto b) { return a - b; }, left, right,
          [](const V& a, const V& b) { return subtract(a, b); }),
      exact_binary(
          make_operation<Multiply>(), [](auto a, auto b) { return a * b; }, left, right,
          [](const V& a, const V& b) { return multiply(a, b); }),
      exact_binary(
          make_operation<Divide>(), [](auto a, auto b) { return a / b; }, left, right,
          [](const V& a, const V& b) { return divide(a, b); }),
      exact_binary(
          make_operation<Maximum>(), [](auto a, auto b) { return larger(a, b); }, left, right,
          [](const V& a, const V& b) { return maximum(a, b); }),
      exact_binary(
          make_operation<Step>(), [](auto a, auto b) -> decltype(a) { return a >= b ? 1 : 0; }, left, right,
          [](const V& a, const V& b) { return step(a, b); }),
      exact_unary(
          make_operation<Negate>(),
          [](auto x) { return std::copysign(x, std::signbit(x) ? decltype(x)(1) : decltype(x)(-1)); },
          anywhere, [](const V& x) { return negate(x); }),
      exact_unary(
          make_operation<Sqrt>(), [](auto x) { return std::sqrt(x); }, positive,
          [](const V& x) { return sqrt(x); }),
      rounded_unary(
          make_operation<Exp>(), [](long double x) { return std::exp(x); }, anywhere,
          [](const V& x) { return exp(x); }),
      rounded_unary(
          make_operation<Log>(), [](long double x) { return std::log(x); }, positive,
          [](const V& x) { return log(x); }),
      rounded_unary(
          make_operation<Tanh>(), [](long double x) { return std::tanh(x); }, anywhere,
          [](const V& x) { return tanh(x); }),
      rounded_unary(
          make_operation<Sin>(), [](long double x) { return std::sin(x); }, anywhere,
          [](const V& x) { return sin(x); }),
      rounded_unary(
          make_operation<Cos>(), [](long double x) { return std::cos(x); }, anywhere,
          [](const V& x) { return cos(x); }),
      rounded_unary(
          make_operation<Log1p>(), [](long double x) { return std::log1p(x); }, {-0.6, -0.1, 0.4, 3.0},
          [](const V& x) { return log1p(x); }),
      rounded_unary(
          make_operation<Expm1>(), [](long double x) { return std::expm1(x); }, anywhere,
          [](const V& x) { return expm1(x); }),
      rounded_unary(
          make_operation<Erf>(), [](long double x) { return std::erf(x); }, anywhere,
          [](const V& x) { return erf(x); }),
      // In f64 the exponential may be a unit off, which the product by 1.13 can carry into a second one.
      unary(make_operation<ErfDerivative>(), erf_slope_reference<float>, erf_slope_reference<double>, 2,
            anywhere, [](const V& x) { return erf_derivative(x); }),
      binary(make_operation<Power>(),
             rounded<float>([](long double x, long double y) { return std::pow(x, y); }),
             rounded<double>([](long double x, long double y) { return std::pow(x, y); }), one_unit, positive,
             right, [](const V& x, const V& y) { return pow(x, y); }),
  };
  all.push_back(conversion());
  // A step is flat: its operands are data.
  for (OpCases& cases : all) {
    if (cases.name == "Step") cases.derivatives[0].data = {0, 1};
  }
  return all;
}

namespace {

/// The gradients of sum(function(a, b)) with respect to a and b.
template <class Function>
std::vector<std::vector<double>> gradients(std::vector<double> a, std::vector<double> b, Function function) {
  Tape<double> tape;
  const Shape shape({static_cast<Extent>(a.size())});
  const auto x = tape.parameter(Tensor<double>(shape, std::move(a)));
  const auto y = tape.parameter(Tensor<double>(shape, std::move(b)));
  const auto value = function(x, y);
  const auto loss = sum(value);
  const Adjoints adjoints = tape.differentiate(loss, {x, y});
  const Network<double> network = std::move(tape).seal();
  const Run<double> run = network.entry(adjoints.roots()).interpret(network.parameters(), {});
  std::vector<std::vector<double>> result;
  for (const Adjoints::Pair& pair : adjoints.pairs()) {
    const Elements<double> elements = run.of(pair.gradient).elements();
    result.emplace_back(elements.begin(), elements.end());
  }
  return result;
}

using D = std::vector<double>;

TEST(Conventions, AtATieTheMaximumSendsTheGradientToItsRightOperand) {
  const auto found =
      gradients({1, 2, 2, 0, -0.0}, {2, 1, 2, -0.0, 0}, [](auto a, auto b) { return maximum(a, b); });
  EXPECT_EQ(found[0], (D{0, 1, 0, 0, 0}));
  EXPECT_EQ(found[1], (D{1, 0, 1, 1, 1}));
}

TEST(Conventions, TheDerivativeOfReluAtZeroIsZero) {
  const auto found = gradients({-1, -0.0, 0, 1}, {0, 0, 0, 0}, [](auto x, auto) { return relu(x); });
  EXPECT_EQ(found[0], (D{0, 0, 0, 1}));
}

TEST(Conventions, TheDerivativeOfTheAbsoluteValueAtZeroIsMinusOne) {
  const auto found = gradients({-2, 0, 2}, {0, 0, 0}, [](auto x, auto) { return abs(x); });
  EXPECT_EQ(found[0], (D{-1, -1, 1}));
}

TEST(Conventions, ThePowersDerivativesAreFiniteWhereTheFormulaMeetsZeroTimesInfinity) {
  const D bases{0, 0, 0, -2, -2, 5};
  const D exponents{0, 1, 2, 2, 0, 0};
  const auto found = gradients(bases, exponents, [](auto x, auto y) { return pow(x, y); });
  EXPECT_EQ(found[0], (D{0, 1, 0, -4, 0, 0}));
  // x^y ln(x) at x = 0 is 0 for y >= 0; for x < 0 it is no real number.
  EXPECT_EQ(found[1][0], 0);
  EXPECT_EQ(found[1][1], 0);
  EXPECT_EQ(found[1][2], 0);
  EXPECT_TRUE(std::isnan(found[1][3]));
  EXPECT_DOUBLE_EQ(found[1][5], std::log(5.0));
}

}  // namespace
}  // namespace topos::testing
