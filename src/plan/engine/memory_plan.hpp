// Where the buffers lie.
#pragma once

#include "plan/engine/elementwise_step.hpp"

namespace topos::engine {

/// A group and the step that it is; by ascending step.
template <class F>
using PlacedGroup = std::pair<StepIndex, ElementwiseStep<F>*>;

/// Gives every buffer of the arena its place there, when all steps and readers are known.
template <class F>
void place_in_memory(Executable<F>& executable, std::span<const PlacedGroup<F>> groups);

extern template void place_in_memory(Executable<float>&, std::span<const PlacedGroup<float>>);
extern template void place_in_memory(Executable<double>&, std::span<const PlacedGroup<double>>);

}  // namespace topos::engine
