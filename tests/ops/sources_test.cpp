// The three sources: their value is their payload, and they have no derivative rule.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {

std::vector<OpCases> source_cases() {
  std::vector<OpCases> all;
  for (const Operation& operation :
       {make_operation<Leaf>(), make_operation<Parameter>(), make_operation<Input>()}) {
    OpCases cases;
    cases.name = operation.name();
    for (const Shape& shape : std::initializer_list<Shape>{Shape(), {1}, {0}, {3, 0, 2}, {2, 3}}) {
      cases.f32.push_back({operation, {}, scattered<float>(shape)});
      cases.f64.push_back({operation, {}, scattered<double>(shape)});
    }
    const auto special = special_elements<float>();
    cases.f32.push_back(
        {operation, {}, Tensor<float>(Shape({static_cast<Extent>(special.size())}), special)});
    cases.f32.push_back({operation, {}, Tensor<float>::filled({4, 4}, 0.5f)});
    cases.f32.push_back({operation, {}, Tensor<float>::selection({2, 0}, 3)});
    all.push_back(std::move(cases));
  }
  return all;
}

}  // namespace topos::testing
