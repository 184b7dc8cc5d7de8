// Emission's part that depends on payloads.
#pragma once

#include "topos/base/float_environment.hpp"
#include "topos/emission/emit.hpp"
#include "topos/emission/literal.hpp"
#include "topos/emission/module.hpp"

namespace topos {

template <class E>
std::string emit_stablehlo(const Plan<E>& plan) {
  using Traits = ElementTraits<E>;
  const DefaultFloatEnvironment environment;  // or a subnormal constant would compare equal to zero
  static const ElementText element{
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
  const Program<E>& program = plan.program();
  std::vector<NodeIndex> arguments;
  for (const Symbol& symbol : plan.arguments()) arguments.push_back(symbol.index());
  return detail::emit_module(
      plan.graph(), plan.schedule(), plan.candidates(), arguments, element,
      [&](NodeIndex leaf) { return dense_attribute(program.leaves[plan.graph()[leaf].slot]); });
}

}  // namespace topos
