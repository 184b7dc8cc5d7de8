// THE list of lowerings: operations that have more than their reference loop. One file and one line each.
#pragma once

#include "plan/engine/compiler.hpp"

namespace topos::engine {

template <class F>
void lower_by_reference(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_elementwise(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_view(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_matmul(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_sum(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_line(Compiler<F>& compiler, NodeIndex index);
/// A sum along rows of a selection times a number; false where it is no such one.
template <class F>
bool lower_selected_sums(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_gather(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_scatter(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_pad(Compiler<F>& compiler, NodeIndex index);
template <class F>
void lower_fold(Compiler<F>& compiler, NodeIndex index);
/// Rounds a node that is held in bf16 and has been lowered as one of f32.
template <class F>
void round_to_bf16(Compiler<F>& compiler, NodeIndex index);

/// The operation's lowering; null where there is none.
template <class F>
Lowering<F> lowering_of(const Operation& operation);

}  // namespace topos::engine
