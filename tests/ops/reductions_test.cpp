// Sums, broadcasts and products: the operations that add by the contract's rules.
#include <gtest/gtest.h>

#include <cmath>

#include "support/op_cases.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {
namespace {

template <class E>
std::vector<E> all_elements(const Tensor<E>& x) {
  const Elements<E> elements = x.elements();
  return std::vector<E>(elements.begin(), elements.end());
}

template <class E>
ValueCase<E> sum_case(const Tensor<E>& x) {
  // A single element of rank 0 is its own sum, the sign of a zero included.
  return {make_operation<Sum>(), {x}, x.rank() == 0 ? x : Tensor<E>(contract_sum(all_elements(x)))};
}

template <class E>
std::vector<ValueCase<E>> sum_values() {
  std::vector<ValueCase<E>> cases{sum_case(Tensor<E>(E(-0.0))), sum_case(Tensor<E>({1}, {E(-0.0)})),
                                  sum_case(Tensor<E>::filled({3, 3}, E(0.1)))};
  for (const Extent count : {0, 1, 2, 15, 16, 17, 31, 32, 33, 4095, 4096, 4097, 4112, 8192, 8193, 70001}) {
    cases.push_back(sum_case(scattered<E>(Shape({count}))));
  }
  for (const Shape& shape : std::initializer_list<Shape>{Shape(), {2, 3}, {3, 0, 2}, {7, 1, 600}}) {
    cases.push_back(sum_case(scattered<E>(shape)));
  }
  const std::vector<E> special = special_elements<E>();
  for (const E x : special) {
    std::vector<E> elements = scattered<E>(20);
    elements[17] = x;
    cases.push_back(sum_case(Tensor<E>({20}, elements)));
  }
  cases.push_back(sum_case(scattered<E>(Shape({40, 50})).permuted(std::vector<Axis>{1, 0})));
  return cases;
}

template <class E>
ValueCase<E> sum_along_case(const Tensor<E>& x, Axis axis) {
  return {make_operation<SumAlong>(axis),
          {x},
          tabulated<E>(x.shape().without_axis(axis),
                       [&](const std::vector<Extent>& i) { return contract_sum(line(x, axis, i)); })};
}

template <class E>
std::vector<ValueCase<E>> sum_along_values() {
  std::vector<ValueCase<E>> cases;
  for (const Shape& shape :
       std::initializer_list<Shape>{{1}, {0}, {2, 3}, {0, 3}, {3, 0}, {5, 1, 4}, {17, 33}, {2, 19, 3}}) {
    for (Axis axis = 0; axis < shape.rank(); ++axis)
      cases.push_back(sum_along_case(scattered<E>(shape), axis));
  }
  cases.push_back(sum_along_case(scattered<E>(Shape({4099, 2})), 0));
  cases.push_back(sum_along_case(scattered<E>(Shape({2, 4099})), 1));
  cases.push_back(sum_along_case(Tensor<E>::filled({3, 20}, E(0.1)), 1));
  cases.push_back(sum_along_case(scattered<E>(Shape({20, 3})).permuted(std::vector<Axis>{1, 0}), 1));
  return cases;
}

template <class E>
std::vector<ValueCase<E>> broadcast_values() {
  std::vector<ValueCase<E>> cases;
  for (const Shape& from : std::initializer_list<Shape>{Shape(), {1}, {1, 1}}) {
    for (const Shape& to : std::initializer_list<Shape>{Shape(), {1}, {0}, {4}, {2, 3}, {2, 0, 3}}) {
      for (const E x : {E(1.5), E(-0.0), std::numeric_limits<E>::quiet_NaN()}) {
        cases.push_back({make_operation<Broadcast>(to),
                         {Tensor<E>(from, {x})},
                         tabulated<E>(to, [x](const auto&) { return x; })});
      }
    }
  }
  return cases;
}

template <class E>
std::vector<ValueCase<E>> broadcast_along_values() {
  std::vector<ValueCase<E>> cases;
  for (const Shape& shape : std::initializer_list<Shape>{Shape(), {3}, {0}, {2, 3}}) {
    for (Axis axis = 0; axis <= shape.rank(); ++axis) {
      for (const Extent extent : {0, 1, 4}) {
        const Tensor<E> x = scattered<E>(shape);
        cases.push_back({make_operation<BroadcastAlong>(axis, extent),
                         {x},
                         tabulated<E>(shape.with_axis(axis, extent),
                                      [&](const auto& i) { return at(x, without(i, axis)); })});
      }
    }
  }
  return cases;
}

/// One chain of fused multiply-adds over ascending k, from +0.
template <class E>
ValueCase<E> product_case(const Tensor<E>& a, const Tensor<E>& b) {
  const Axis rank = a.rank();
  const Shape shape = a.shape().with_extent(rank - 1, b.shape()[rank - 1]);
  return {make_operation<MatMul>(), {a, b}, tabulated<E>(shape, [&](const std::vector<Extent>& i) {
            E total = E(0);
            for (Extent k = 0; k < a.shape()[rank - 1]; ++k) {
              total = std::fma(at(a, with(i, rank - 1, k)), at(b, with(i, rank - 2, k)), total);
            }
            return total;
          })};
}

template <class E>
std::vector<ValueCase<E>> product_values() {
  std::vector<ValueCase<E>> cases;
  for (const auto& [m, k, n] : std::initializer_list<std::array<Extent, 3>>{{1, 1, 1},
                                                                            {2, 3, 4},
                                                                            {0, 3, 4},
                                                                            {2, 0, 4},
                                                                            {2, 3, 0},
                                                                            {1, 40, 1},
                                                                            {7, 9, 17},
                                                                            {8, 16, 32},
                                                                            {5, 33, 15}}) {
    cases.push_back(product_case(scattered<E>(Shape({m, k}), 1), scattered<E>(Shape({k, n}), 2)));
  }
  cases.push_back(product_case(scattered<E>(Shape({3, 2, 5}), 3), scattered<E>(Shape({3, 5, 4}), 4)));
  cases.push_back(product_case(scattered<E>(Shape({2, 2, 3, 1}), 3), scattered<E>(Shape({2, 2, 1, 3}), 4)));
  cases.push_back(product_case(scattered<E>(Shape({0, 2, 3}), 3), scattered<E>(Shape({0, 3, 2}), 4)));
  // Operands that are views.
  const Tensor<E> square = scattered<E>(Shape({6, 6}));
  cases.push_back(product_case(square.permuted(std::vector<Axis>{1, 0}), square.narrowed(1, 2, 3)));
  // Every special element times every other: an infinity times zero is NaN, -0 is added to +0.
  const std::vector<E> special = special_elements<E>();
  const auto count = static_cast<Extent>(special.size());
  cases.push_back(product_case(Tensor<E>({count, 1}, special), Tensor<E>({1, count}, special)));
  cases.push_back(product_case(Tensor<E>({1, count}, special), Tensor<E>::filled({count, 2}, E(1))));
  return cases;
}

using Values = std::span<const Value<float>>;

}  // namespace

std::vector<OpCases> reduction_cases() {
  const auto d = [](const Shape& shape) { return scattered<double>(shape, 9); };
  std::vector<OpCases> all(5);
  all[0] = {.name = "Sum", .f32 = sum_values<float>(), .f64 = sum_values<double>()};
  all[0].derivatives = {{make_operation<Sum>(), {d({2, 3})}}, {make_operation<Sum>(), {d({})}}};
  all[0].spellings = {{[](Values in) { return sum(in[0]); }, make_operation<Sum>(), {Shape({2, 3})}}};

  all[1] = {.name = "SumAlong", .f32 = sum_along_values<float>(), .f64 = sum_along_values<double>()};
  all[1].derivatives = {{make_operation<SumAlong>(0), {d({2, 3})}},
                        {make_operation<SumAlong>(1), {d({2, 3, 2})}}};
  all[1].rejections = {{make_operation<SumAlong>(2), {{2, 3}}, "C1"},
                       {make_operation<SumAlong>(-1), {{2, 3}}, "C1"},
                       {make_operation<SumAlong>(0), {Shape()}, "C1"}};
  all[1].spellings = {
      {[](Values in) { return sum_along(in[0], 1); }, make_operation<SumAlong>(1), {Shape({2, 3})}}};

  all[2] = {.name = "Broadcast", .f32 = broadcast_values<float>(), .f64 = broadcast_values<double>()};
  all[2].derivatives = {{make_operation<Broadcast>(Shape({2, 3})), {d({1})}},
                        {make_operation<Broadcast>(Shape({4})), {d({})}}};
  all[2].rejections = {{make_operation<Broadcast>(Shape({2, 3})), {{2}}, "C1"},
                       {make_operation<Broadcast>(Shape({2})), {{0}}, "C1"}};
  all[2].spellings = {{[](Values in) { return broadcast(in[0], {2, 3}); },
                       make_operation<Broadcast>(Shape({2, 3})),
                       {Shape({1})}}};

  all[3] = {.name = "BroadcastAlong",
            .f32 = broadcast_along_values<float>(),
            .f64 = broadcast_along_values<double>()};
  all[3].derivatives = {{make_operation<BroadcastAlong>(0, 3), {d({2})}},
                        {make_operation<BroadcastAlong>(1, 2), {d({2, 3})}}};
  all[3].rejections = {{make_operation<BroadcastAlong>(3, 2), {{2, 3}}, "C1"},
                       {make_operation<BroadcastAlong>(-1, 2), {{2, 3}}, "C1"},
                       {make_operation<BroadcastAlong>(0, -1), {{2, 3}}, "C2"}};
  all[3].spellings = {{[](Values in) { return broadcast_along(in[0], 1, 4); },
                       make_operation<BroadcastAlong>(1, 4),
                       {Shape({2, 3})}}};

  all[4] = {.name = "MatMul", .f32 = product_values<float>(), .f64 = product_values<double>()};
  all[4].derivatives = {{make_operation<MatMul>(), {d({2, 3}), d({3, 2})}},
                        {make_operation<MatMul>(), {d({2, 1, 3}), d({2, 3, 2})}}};
  all[4].rejections = {{make_operation<MatMul>(), {{3}, {3, 2}}, "C1"},
                       {make_operation<MatMul>(), {{2, 3}, {3}}, "C2"},
                       {make_operation<MatMul>(), {{2, 3}, {1, 3, 2}}, "C2"},
                       {make_operation<MatMul>(), {{4, 2, 3}, {5, 3, 2}}, "C3"},
                       {make_operation<MatMul>(), {{2, 3}, {2, 3}}, "C4"}};
  all[4].spellings = {
      {[](Values in) { return matmul(in[0], in[1]); }, make_operation<MatMul>(), {{2, 3}, {3, 4}}}};
  return all;
}

}  // namespace topos::testing
