// THE list of patterns that the engine carries out as one step. One file and one line each.
#pragma once

#include "plan/engine/compiler.hpp"
#include "topos/plan/patterns/election.hpp"

namespace topos::engine {

template <class F>
PatternLowering<F> attention_lowering();
template <class F>
PatternLowering<F> batch_norm_training_lowering();
template <class F>
PatternLowering<F> row_norm_lowering();
template <class F>
PatternLowering<F> selected_log_softmax_lowering();
template <class F>
PatternLowering<F> window_maximum_lowering();
template <class F>
PatternLowering<F> window_maximum_gradient_lowering();
template <class F>
PatternLowering<F> window_product_input_gradient_lowering();

/// The pattern's lowering; null where there is none.
template <class F>
const PatternLowering<F>* pattern_lowering_of(const Candidate& candidate);

/// Takes the candidates that have a lowering and save work: no other node needs what they stand for, views
/// and sources apart.
template <class F>
Election elect_steps(const Graph& graph, const Schedule& schedule, const std::vector<Candidate>& candidates);

}  // namespace topos::engine
