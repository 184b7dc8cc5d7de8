// Operations that move elements: reshape, permute, narrow and pad.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {
namespace {

/// Every element special, so that a move that computes something shows.
template <class E>
Tensor<E> moved(const Shape& shape) {
  const std::vector<E> special = special_elements<E>();
  std::vector<E> elements = scattered<E>(shape.volume());
  for (std::size_t i = 0; i < elements.size(); i += 3) elements[i] = special[i % special.size()];
  return Tensor<E>(shape, std::move(elements));
}

template <class E>
std::vector<ValueCase<E>> reshape_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const Tensor<E>& x, const Shape& to) {
    std::vector<E> elements;
    for_each_index(x.shape(), [&](const std::vector<Extent>& i) { elements.push_back(at(x, i)); });
    cases.push_back({make_operation<Reshape>(to), {x}, Tensor<E>(to, std::move(elements))});
  };
  add(moved<E>({2, 3}), {6});
  add(moved<E>({2, 3}), {3, 2});
  add(moved<E>({2, 3}), {2, 3});
  add(moved<E>({2, 3}), {1, 2, 1, 3});
  add(moved<E>({1}), Shape());
  add(moved<E>(Shape()), {1, 1});
  add(moved<E>({0, 3}), {2, 0});
  add(moved<E>({24}), {2, 3, 4});
  add(Tensor<E>::filled({2, 3}, E(7)), {6});
  add(moved<E>({4, 6}).permuted(std::vector<Axis>{1, 0}), {24});
  add(moved<E>({4, 6}).narrowed(1, 1, 2), {8});
  add(Tensor<E>::selection({1, 0, 1}, 2), {2, 3});
  return cases;
}

template <class E>
std::vector<ValueCase<E>> permute_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const Tensor<E>& x, std::vector<Axis> order) {
    cases.push_back({make_operation<Permute>(order),
                     {x},
                     tabulated<E>(x.shape().permuted(order), [&](const std::vector<Extent>& i) {
                       std::vector<Extent> from(i.size());
                       for (std::size_t axis = 0; axis < i.size(); ++axis)
                         from[static_cast<std::size_t>(order[axis])] = i[axis];
                       return at(x, from);
                     })});
  };
  add(moved<E>(Shape()), {});
  add(moved<E>({5}), {0});
  add(moved<E>({2, 3}), {1, 0});
  add(moved<E>({2, 3, 4}), {2, 0, 1});
  add(moved<E>({2, 3, 4}), {0, 2, 1});
  add(moved<E>({1, 3, 1, 2}), {3, 1, 2, 0});
  add(moved<E>({2, 0, 3}), {2, 1, 0});
  add(moved<E>({2, 3, 4}).permuted(std::vector<Axis>{1, 2, 0}), {1, 0, 2});
  add(Tensor<E>::selection({1, 0, 1}, 2), {1, 0});
  return cases;
}

template <class E>
std::vector<ValueCase<E>> narrow_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const Tensor<E>& x, Axis axis, Extent start, Extent length) {
    cases.push_back({make_operation<Narrow>(axis, start, length),
                     {x},
                     tabulated<E>(x.shape().with_extent(axis, length), [&](const auto& i) {
                       return at(x, with(i, axis, i[static_cast<std::size_t>(axis)] + start));
                     })});
  };
  add(moved<E>({5}), 0, 0, 5);
  add(moved<E>({5}), 0, 4, 1);
  add(moved<E>({5}), 0, 5, 0);
  add(moved<E>({2, 5}), 1, 1, 3);
  add(moved<E>({4, 5}), 0, 2, 2);
  add(moved<E>({2, 3, 4}), 1, 1, 1);
  add(moved<E>({2, 0, 4}), 2, 1, 2);
  add(moved<E>({4, 5}).permuted(std::vector<Axis>{1, 0}), 0, 1, 3);
  add(Tensor<E>::filled({3, 3}, E(2)), 0, 1, 2);
  add(Tensor<E>::selection({1, 0, 1}, 2), 0, 1, 2);
  return cases;
}

template <class E>
std::vector<ValueCase<E>> pad_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const Tensor<E>& x, Axis axis, Extent start, Extent full) {
    cases.push_back({make_operation<Pad>(axis, start, full),
                     {x},
                     tabulated<E>(x.shape().with_extent(axis, full), [&](const auto& i) {
                       const Extent from = i[static_cast<std::size_t>(axis)] - start;
                       return from >= 0 && from < x.shape()[axis] ? at(x, with(i, axis, from)) : E(0);
                     })});
  };
  add(moved<E>({3}), 0, 0, 3);
  add(moved<E>({3}), 0, 2, 6);
  add(moved<E>({3}), 0, 3, 6);
  add(moved<E>({0}), 0, 1, 2);
  add(moved<E>({0}), 0, 0, 0);
  add(moved<E>({2, 3}), 0, 1, 4);
  add(moved<E>({2, 3}), 1, 0, 4);
  add(moved<E>({2, 3, 2}), 1, 1, 5);
  add(moved<E>({2, 0, 2}), 0, 1, 5);
  add(moved<E>({4, 5}).permuted(std::vector<Axis>{1, 0}), 0, 1, 7);
  return cases;
}

using Values = std::span<const Value<float>>;

}  // namespace

std::vector<OpCases> shape_cases() {
  const auto d = [](const Shape& shape) { return scattered<double>(shape, 5); };
  constexpr Extent huge = std::numeric_limits<Extent>::max();
  std::vector<OpCases> all(4);
  all[0] = {.name = "Reshape", .f32 = reshape_values<float>(), .f64 = reshape_values<double>()};
  all[0].derivatives = {{make_operation<Reshape>(Shape({3, 2})), {d({6})}}};
  all[0].rejections = {{make_operation<Reshape>(Shape({4})), {{2, 3}}, "C1"},
                       {make_operation<Reshape>(Shape()), {{0}}, "C1"}};
  all[0].spellings = {{[](Values in) { return reshape(in[0], {3, 2}); },
                       make_operation<Reshape>(Shape({3, 2})),
                       {Shape({6})}}};

  all[1] = {.name = "Permute", .f32 = permute_values<float>(), .f64 = permute_values<double>()};
  all[1].derivatives = {{make_operation<Permute>(std::vector<Axis>{2, 0, 1}), {d({2, 3, 2})}},
                        {make_operation<Permute>(std::vector<Axis>{1, 2, 0}), {d({2, 2, 2})}}};
  all[1].rejections = {{make_operation<Permute>(std::vector<Axis>{0}), {{2, 3}}, "C1"},
                       {make_operation<Permute>(std::vector<Axis>{0, 1, 2}), {{2, 3}}, "C1"},
                       {make_operation<Permute>(std::vector<Axis>{0, 2}), {{2, 3}}, "C2"},
                       {make_operation<Permute>(std::vector<Axis>{-1, 0}), {{2, 3}}, "C2"},
                       {make_operation<Permute>(std::vector<Axis>{1, 1}), {{2, 3}}, "C3"}};
  all[1].spellings = {{[](Values in) { return permute(in[0], {1, 0}); },
                       make_operation<Permute>(std::vector<Axis>{1, 0}),
                       {Shape({2, 3})}}};

  all[2] = {.name = "Narrow", .f32 = narrow_values<float>(), .f64 = narrow_values<double>()};
  all[2].derivatives = {{make_operation<Narrow>(1, 1, 2), {d({2, 4})}}};
  all[2].rejections = {{make_operation<Narrow>(2, 0, 1), {{2, 3}}, "C1"},
                       {make_operation<Narrow>(0, 0, 1), {Shape()}, "C1"},
                       {make_operation<Narrow>(0, 1, -1), {{2, 3}}, "C2"},
                       {make_operation<Narrow>(0, -1, 1), {{2, 3}}, "C3"},
                       {make_operation<Narrow>(1, 2, 2), {{2, 3}}, "C3"},
                       {make_operation<Narrow>(1, huge, 2), {{2, 3}}, "C3"}};
  all[2].spellings = {
      {[](Values in) { return narrow(in[0], 1, 1, 2); }, make_operation<Narrow>(1, 1, 2), {Shape({2, 3})}}};

  all[3] = {.name = "Pad", .f32 = pad_values<float>(), .f64 = pad_values<double>()};
  all[3].derivatives = {{make_operation<Pad>(1, 1, 4), {d({2, 2})}}};
  all[3].rejections = {{make_operation<Pad>(2, 0, 3), {{2, 3}}, "C1"},
                       {make_operation<Pad>(0, -1, 3), {{2, 3}}, "C2"},
                       {make_operation<Pad>(1, 1, 3), {{2, 3}}, "C2"},
                       {make_operation<Pad>(1, huge, huge), {{2, 3}}, "C2"}};
  all[3].spellings = {
      {[](Values in) { return pad(in[0], 1, 1, 5); }, make_operation<Pad>(1, 1, 5), {Shape({2, 3})}}};
  return all;
}

}  // namespace topos::testing
