// What is held in bf16: an f32 kernel and one rounding more, a member of an elementwise group.
#include "plan/engine/lowering/append_elementwise.hpp"
#include "plan/engine/lowering_list.hpp"
#include "topos/base/type_list.hpp"

namespace topos {
struct Broadcast;
struct BroadcastAlong;
struct Convert;
struct Gather;
struct Maximum;
struct Narrow;
struct Negate;
struct Pad;
struct Permute;
struct Reshape;
struct Step;
struct Unfold;
}  // namespace topos

namespace topos::engine {
namespace {

// Whether the operation gives nothing but elements of its operands, their negatives, zeros and ones.
bool is_exact(const Operation& operation) {
  const auto is_one_of = [&]<class... Op>(TypeList<Op...>) { return (operation.is<Op>() || ...); };
  return is_one_of(TypeList<Broadcast, BroadcastAlong, Gather, Maximum, Narrow, Negate, Pad, Permute, Reshape,
                            topos::Step, Unfold>());
}

// Whether the node's elements are bf16 numbers already: it is exact, or a layout of another node's that are.
template <class F>
bool is_rounded(const Compiler<F>& compiler, NodeIndex index) {
  const NodeIndex owner = compiler.buffer(compiler.value(index).buffer).node;
  return is_exact(compiler.node(index).operation) ||
         (owner != index && compiler.node(owner).precision == Precision::bf16);
}

}  // namespace

template <class F>
void round_to_bf16(Compiler<F>& compiler, NodeIndex index) {
  if (is_rounded(compiler, index)) return;
  const Node& node = compiler.node(index);
  const auto wide = compiler.value(index);
  const bool uniform = wide.layout.is_uniform();
  const ElementwiseSource<F> operands[] = {{wide, compiler.known_uniform(index)}};
  auto value = append_elementwise<F>(compiler, uniform ? Shape() : node.shape,
                                     kernels::UnaryMap::round_to_bf16, "round to bf16", operands, index);
  if (uniform) value.layout = Layout().repeated_to(node.shape);
  compiler.define_view(index, std::move(value.layout), value.buffer);
  // Sums of bf16 numbers are multiples of the smallest one: what is not zero does not round to zero.
  if (!node.operation.is<Convert>() && compiler.buffer(wide.buffer).never_negative_zero)
    compiler.never_negative_zero(value.buffer);
}

template void round_to_bf16(Compiler<float>&, NodeIndex);
template void round_to_bf16(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
