// The softmax family, which shifts by the maximum before it exponentiates.
#include <gtest/gtest.h>

#include <cmath>

#include "support/op_cases.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

/// In f32 the correctly rounded functions, by way of long double; in f64 the element functions themselves,
/// since the contract lets these be a unit off and a sum of such values need not agree.
float reference_exp(float x) { return static_cast<float>(std::exp(static_cast<long double>(x))); }
float reference_log(float x) { return static_cast<float>(std::log(static_cast<long double>(x))); }
double reference_exp(double x) { return math::exp(x); }
double reference_log(double x) { return math::log(x); }

template <class E>
E log_of_sum(const std::vector<E>& elements, E shift) {
  std::vector<E> exponentials;
  for (const E x : elements) exponentials.push_back(reference_exp(E(x - shift)));
  return reference_log(contract_sum(exponentials));
}

template <class E>
E peak_of(const std::vector<E>& elements) {
  E peak = -std::numeric_limits<E>::infinity();
  for (const E x : elements)
    peak = x != x || peak != peak ? std::numeric_limits<E>::quiet_NaN() : std::max(peak, x);
  return peak;
}

template <class E>
ValueCase<E> logsumexp_case(const Tensor<E>& x, Axis axis) {
  return {make_operation<LogSumExp>(axis),
          {x},
          tabulated<E>(x.shape().without_axis(axis), [&](const std::vector<Extent>& i) {
            const std::vector<E> elements = line(x, axis, i);
            const E peak = peak_of(elements);
            const E shift = std::isfinite(peak) ? peak : E(0);
            return shift + log_of_sum(elements, shift);
          })};
}

template <class E>
ValueCase<E> log_softmax_case(const Tensor<E>& x, Axis axis) {
  return {make_operation<LogSoftmax>(axis), {x}, tabulated<E>(x.shape(), [&](const std::vector<Extent>& i) {
            const std::vector<E> elements = line(x, axis, without(i, axis));
            const E peak = peak_of(elements);
            return (at(x, i) - peak) - log_of_sum(elements, peak);
          })};
}

template <class E, class Make>
std::vector<ValueCase<E>> values(Make make) {
  std::vector<ValueCase<E>> cases;
  for (const Shape& shape :
       std::initializer_list<Shape>{{1}, {5}, {2, 3}, {0, 3}, {3, 0}, {2, 17, 3}, {3, 33}}) {
    for (Axis axis = 0; axis < shape.rank(); ++axis) cases.push_back(make(scattered<E>(shape), axis));
  }
  constexpr E infinity = std::numeric_limits<E>::infinity();
  cases.push_back(make(Tensor<E>({3, 2}, {-infinity, -infinity, infinity, 1, 2, -infinity}), 1));
  cases.push_back(make(Tensor<E>({2, 3}, {1e30f, -1e30f, 1e30f, 1000, 1000, 1000}), 1));
  for (const E x : special_elements<E>()) cases.push_back(make(Tensor<E>({3}, {E(0.5), x, E(-1)}), 0));
  cases.push_back(make(Tensor<E>::filled({2, 3}, E(0.5)), 1));
  cases.push_back(make(scattered<E>(Shape({4, 5})).permuted(std::vector<Axis>{1, 0}), 1));
  return cases;
}

using Values = std::span<const Value<float>>;

}  // namespace

std::vector<OpCases> softmax_cases() {
  const auto d = [](const Shape& shape) { return scattered<double>(shape, 5); };
  std::vector<OpCases> all(2);
  all[0] = {.name = "LogSoftmax",
            .f32 = values<float>(log_softmax_case<float>),
            .f64 = values<double>(log_softmax_case<double>)};
  all[0].derivatives = {{make_operation<LogSoftmax>(1), {d({2, 3})}},
                        {make_operation<LogSoftmax>(0), {d({3, 2})}}};
  all[0].rejections = {{make_operation<LogSoftmax>(2), {{2, 3}}, "C1"},
                       {make_operation<LogSoftmax>(-1), {{2, 3}}, "C1"},
                       {make_operation<LogSoftmax>(0), {Shape()}, "C1"}};
  all[0].spellings = {
      {[](Values in) { return log_softmax(in[0], 1); }, make_operation<LogSoftmax>(1), {Shape({2, 3})}}};

  all[1] = {.name = "LogSumExp",
            .f32 = values<float>(logsumexp_case<float>),
            .f64 = values<double>(logsumexp_case<double>)};
  all[1].derivatives = {{make_operation<LogSumExp>(1), {d({2, 3})}},
                        {make_operation<LogSumExp>(0), {d({3, 2})}}};
  all[1].rejections = {{make_operation<LogSumExp>(2), {{2, 3}}, "C1"},
                       {make_operation<LogSumExp>(-1), {{2, 3}}, "C1"},
                       {make_operation<LogSumExp>(0), {Shape()}, "C1"}};
  all[1].spellings = {
      {[](Values in) { return logsumexp(in[0], 1); }, make_operation<LogSumExp>(1), {Shape({2, 3})}}};
  return all;
}

namespace {

TEST(Softmax, ALineOfMinusInfinityHasThatLogSumExpAndAZeroGradient) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Tape<float> tape;
  const auto x = tape.parameter(Tensor<float>({2, 2}, {-infinity, -infinity, 0, -infinity}));
  const auto lines = logsumexp(x, 1);
  const Adjoints adjoints = tape.differentiate(sum(lines), {x});
  const Network<float> network = std::move(tape).seal();
  const auto run = network.forward(network.parameters(), {});
  EXPECT_EQ(describe(run.of(lines)), "[-inf, 0]");
  EXPECT_EQ(describe(run.of(adjoints.of(x))), "[[0, 0], [1, 0]]");
}

}  // namespace
}  // namespace topos::testing
