// Emission's part that depends on payloads.
#pragma once

#include "topos/base/float_environment.hpp"
#include "topos/emission/emit.hpp"
#include "topos/emission/literal.hpp"
#include "topos/emission/module.hpp"
#include "topos/tensor/convert.hpp"

namespace topos {

namespace detail {

template <class E>
ElementText element_text() {
  using Traits = ElementTraits<E>;
  return {
      .name = Traits::name,
      .accumulator = ElementTraits<Accumulator<E>>::name,
      .literal = [](double value) { return stablehlo_literal(Traits::from_double(value)); },
      .negative_infinity = stablehlo_literal(Traits::negative_infinity()),
      .dense =
          [](const Shape& shape, const std::vector<double>& elements) {
            std::vector<E> converted;
            converted.reserve(elements.size());
            for (const double value : elements) converted.push_back(Traits::from_double(value));
            return dense_attribute(Tensor<E>(shape, std::move(converted)));
          },
  };
}

template <class E>
std::string leaf_attribute(const Tensor<E>& payload, Precision precision) {
  if constexpr (std::same_as<E, float>) {
    if (precision == Precision::bf16) return dense_attribute(convert<Bf16>(payload));
  }
  return dense_attribute(payload);
}

}  // namespace detail

template <class E>
std::string emit_stablehlo(const Plan<E>& plan) {
  const DefaultFloatEnvironment environment;  // or a subnormal constant would compare equal to zero
  static const ElementTexts elements{detail::element_text<E>(), detail::element_text<Bf16>()};
  const Program<E>& program = plan.program();
  std::vector<NodeIndex> arguments;
  for (const Symbol& symbol : plan.arguments()) arguments.push_back(symbol.index());
  return detail::emit_module(plan.graph(), plan.schedule(), plan.candidates(), arguments, elements,
                             [&](NodeIndex leaf) {
                               const Node& node = plan.graph()[leaf];
                               return detail::leaf_attribute(program.leaves[node.slot], node.precision);
                             });
}

}  // namespace topos
