// What a test says about an operation. A family's test file gives an OpCases for each of its operations;
// tests/ops/operations_test.cpp checks all of them in the same way, and names an operation that has none.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "topos/graph/value.hpp"

namespace topos::testing {

/// One application and the value it must have: to the bit, or within `ulps` where the contract leaves that
/// much.
template <class E>
struct ValueCase {
  Operation operation;
  std::vector<Tensor<E>> operands;
  Tensor<E> expected;
  int ulps = 0;
};

/// Operand shapes that break the constraint `label` ("C1"); remembers its line, which the message must name.
struct Rejection {
  Rejection(Operation refused, std::vector<Shape> operands, std::string constraint,
            Where at = Where::current())
      : operation(std::move(refused)), shapes(std::move(operands)), label(std::move(constraint)), where(at) {}
  Operation operation;
  std::vector<Shape> shapes;
  std::string label;
  Where where;
};

/// A point to compare first and second derivatives with differences at. Operands in `data` have none.
struct DerivativeCase {
  Operation operation;
  std::vector<Tensor<double>> at;
  std::vector<std::size_t> data = {};
};

/// The function a user writes, and what it must record.
struct Spelling {
  std::function<Value<float>(std::span<const Value<float>>)> function;
  Operation operation;
  std::vector<Shape> shapes;
};

struct OpCases {
  std::string name = {};
  std::vector<ValueCase<float>> f32 = {};
  std::vector<ValueCase<double>> f64 = {};
  std::vector<DerivativeCase> derivatives = {};
  std::vector<Rejection> rejections = {};
  std::vector<Spelling> spellings = {};
};

/// How GoogleTest shows it.
inline std::ostream& operator<<(std::ostream& out, const OpCases& cases) { return out << cases.name; }

// The families, each in the file of its name.
std::vector<OpCases> source_cases();
std::vector<OpCases> elementwise_cases();
std::vector<OpCases> reduction_cases();
std::vector<OpCases> shape_cases();
std::vector<OpCases> window_cases();
std::vector<OpCases> indexing_cases();
std::vector<OpCases> softmax_cases();

/// Those of every family.
inline std::vector<OpCases> all_cases() {
  std::vector<OpCases> all;
  for (auto family : {source_cases, elementwise_cases, reduction_cases, shape_cases, window_cases,
                      indexing_cases, softmax_cases}) {
    for (OpCases& cases : family()) all.push_back(std::move(cases));
  }
  return all;
}

/// Elements between -2 and 2, none twice in a row, from a fixed congruential sequence.
template <class E>
std::vector<E> scattered(Extent count, std::uint32_t seed = 1) {
  std::vector<E> elements;
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (Extent i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    elements.push_back(static_cast<E>(static_cast<double>(state >> 8) / double(1 << 22) - 2.0));
  }
  return elements;
}
template <class E>
Tensor<E> scattered(const Shape& shape, std::uint32_t seed = 1) {
  return Tensor<E>(shape, scattered<E>(shape.volume(), seed));
}

/// Zeros, infinities, NaN, the smallest and largest numbers and units, with either sign.
template <class E>
std::vector<E> special_elements() {
  using Limits = std::numeric_limits<E>;
  std::vector<E> elements{Limits::quiet_NaN()};
  for (const E x : {E(0), Limits::infinity(), Limits::denorm_min(), Limits::min(), Limits::max(), E(1),
                    E(0.5), E(2), E(3), E(1) + Limits::epsilon(), E(88.75), E(1e-5)}) {
    elements.push_back(x);
    elements.push_back(-x);
  }
  return elements;
}

/// Calls visit(index) for each position of a shape, row-major.
inline void for_each_index(const Shape& shape, const std::function<void(const std::vector<Extent>&)>& visit) {
  std::vector<Extent> index(static_cast<std::size_t>(shape.rank()), 0);
  for (Extent count = 0; count < shape.volume(); ++count) {
    Extent rest = count;
    for (Axis axis = shape.rank(); axis-- > 0; rest /= shape[axis]) {
      index[static_cast<std::size_t>(axis)] = rest % shape[axis];
    }
    visit(index);
  }
}

/// A tensor whose element at each index is element(index).
template <class E, class Element>
Tensor<E> tabulated(const Shape& shape, Element element) {
  std::vector<E> elements;
  for_each_index(shape, [&](const std::vector<Extent>& index) { elements.push_back(element(index)); });
  return Tensor<E>(shape, std::move(elements));
}

/// The element at an index.
template <class E>
E at(const Tensor<E>& tensor, const std::vector<Extent>& index) {
  std::size_t position = 0;
  for (Axis axis = 0; axis < tensor.rank(); ++axis) {
    position = position * static_cast<std::size_t>(tensor.shape()[axis]) +
               static_cast<std::size_t>(index[static_cast<std::size_t>(axis)]);
  }
  return tensor.elements()[position];
}

/// An index with one axis' entry changed, removed or inserted.
inline std::vector<Extent> with(std::vector<Extent> index, Axis axis, Extent value) {
  index[static_cast<std::size_t>(axis)] = value;
  return index;
}
inline std::vector<Extent> without(std::vector<Extent> index, Axis axis) {
  index.erase(index.begin() + axis);
  return index;
}
inline std::vector<Extent> inserted(std::vector<Extent> index, Axis axis, Extent value) {
  index.insert(index.begin() + axis, value);
  return index;
}

/// The contract's sum, told as a tree: lane l of a block adds its every 16th element to +0 in order; a node
/// of the tree adds its two halves, the lane `half` away being the other one; the blocks' sums are elements
/// of a next sum.
template <class E>
E contract_sum(const std::vector<E>& elements) {
  const std::size_t blocks = (elements.size() + 4095) / 4096;
  std::vector<E> block_sums;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto lane = [&](std::size_t l) {
      E total = E(0);
      for (std::size_t i = block * 4096 + l; i < std::min(elements.size(), (block + 1) * 4096); i += 16) {
        total = total + elements[i];
      }
      return total;
    };
    const std::function<E(std::size_t, std::size_t)> tree = [&](std::size_t l, std::size_t half) {
      return half == 16 ? lane(l) : tree(l, half * 2) + tree(l + half, half * 2);
    };
    block_sums.push_back(tree(0, 1));
  }
  if (block_sums.empty()) return E(0);
  return block_sums.size() == 1 ? block_sums[0] : contract_sum(block_sums);
}

/// The elements along `axis` through an index that lacks it.
template <class E>
std::vector<E> line(const Tensor<E>& tensor, Axis axis, const std::vector<Extent>& index) {
  std::vector<E> elements;
  for (Extent i = 0; i < tensor.shape()[axis]; ++i) elements.push_back(at(tensor, inserted(index, axis, i)));
  return elements;
}

template <class E>
::testing::AssertionResult equal_bits(const Tensor<E>& actual, const Tensor<E>& expected) {
  if (same_bits(actual, expected)) return ::testing::AssertionSuccess();
  const auto text = [](const Tensor<E>& tensor) {
    return describe(tensor.shape()) + (tensor.volume() > 400 ? "" : " " + describe(tensor));
  };
  return ::testing::AssertionFailure() << "got      " << text(actual) << "\nexpected " << text(expected);
}

/// "Narrow axis=1 start=0 len=2 of [2, 3]".
template <class Tensors>
std::string title(const Operation& operation, const Tensors& operands) {
  std::string text(operation.name());
  const std::string fields = describe_fields(operation.fields());
  if (!fields.empty()) text += " " + fields;
  for (const auto& operand : operands) text += " of " + describe(operand.shape());
  return text;
}

}  // namespace topos::testing
