// A plan as StableHLO text.
#pragma once

#include <string>

#include "topos/plan/plan.hpp"

namespace topos {

/// The module that computes the plan's results: `@main` takes plan.arguments() and returns plan.results().
/// The text depends on the declared results alone: not on what the plan keeps in memory or how it runs at
/// home. Throws UsageError for a plan without results.
template <class E>
std::string emit_stablehlo(const Plan<E>& plan);

#define TOPOS_INSTANTIATE(E) extern template std::string emit_stablehlo(const Plan<E>&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
