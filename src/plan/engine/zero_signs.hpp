// Whose zeros' signs can reach a result.
#pragma once

#include <vector>

#include "topos/graph/program.hpp"
#include "topos/plan/schedule.hpp"

namespace topos::engine {

/// By node: whether some result's bits depend on the signs of this node's zeros. Where none does, the node
/// may as well be -0 where it should be +0: a gradient that accumulates from +0 need not be added to it.
template <class F>
std::vector<bool> zero_signs_wanted(const Program<F>& program, const Schedule& schedule);

extern template std::vector<bool> zero_signs_wanted(const Program<float>&, const Schedule&);
extern template std::vector<bool> zero_signs_wanted(const Program<double>&, const Schedule&);

}  // namespace topos::engine
