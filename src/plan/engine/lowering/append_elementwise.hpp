// One more member for the elementwise groups, whatever node it comes from (lowering/elementwise.cpp).
#pragma once

#include "plan/engine/compiler.hpp"
#include "plan/engine/elementwise_step.hpp"

namespace topos::engine {

/// A value of the member's shape, or an element that is known now.
template <class F>
struct ElementwiseSource {
  typename Compiler<F>::Value value;
  std::optional<F> known;
};

/// The latest group that can take a member over `shape` with these operands; none without one.
template <class F>
std::optional<StepIndex> find_group(Compiler<F>& compiler, const Shape& shape,
                                    std::span<const ElementwiseSource<F>> operands);

/// Computes function(operands) over `shape` in a group that can take it, else in a new one. The answer is
/// where it lies; `index` is the node that it is for.
template <class F>
typename Compiler<F>::Value append_elementwise(Compiler<F>& compiler, const Shape& shape,
                                               MapFunction function, std::string_view name,
                                               std::span<const ElementwiseSource<F>> operands,
                                               NodeIndex index);

/// The sum over such lines of the operand, which the buffer holds, is made by the group that computes it, and
/// lies where its node is `layout`; false where no group can.
template <class F>
bool append_sum(Compiler<F>& compiler, NodeIndex index, const SummedLines& lines, const Layout& layout);

}  // namespace topos::engine
