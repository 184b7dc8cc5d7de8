#include "plan/engine/lowering_list.hpp"

#include "plan/engine/opcode_table.hpp"

namespace topos {
struct BroadcastAlong;
struct Broadcast;
struct Convert;
struct Fold;
struct Gather;
struct LogSoftmax;
struct LogSumExp;
struct MatMul;
struct Narrow;
struct Pad;
struct Permute;
struct Reshape;
struct Scatter;
struct Sum;
struct SumAlong;
struct Unfold;
}  // namespace topos

namespace topos::engine {
namespace {

template <class F>
OpcodeTable<Lowering<F>> table() {
  OpcodeTable<Lowering<F>> lowerings;
  for (const detail::OperationInfo* operation : detail::vocabulary()) {
    if (operation->is_elementwise) lowerings.set(*operation, lower_elementwise<F>);
  }
  lowerings.template set<Convert>(lower_view<F>);
  lowerings.template set<Broadcast>(lower_view<F>);
  lowerings.template set<BroadcastAlong>(lower_view<F>);
  lowerings.template set<Narrow>(lower_view<F>);
  lowerings.template set<Permute>(lower_view<F>);
  lowerings.template set<Reshape>(lower_view<F>);
  lowerings.template set<Unfold>(lower_view<F>);
  lowerings.template set<MatMul>(lower_matmul<F>);
  lowerings.template set<Sum>(lower_sum<F>);
  lowerings.template set<SumAlong>(lower_line<F>);
  lowerings.template set<LogSoftmax>(lower_line<F>);
  lowerings.template set<LogSumExp>(lower_line<F>);
  lowerings.template set<Gather>(lower_gather<F>);
  lowerings.template set<Scatter>(lower_scatter<F>);
  lowerings.template set<Pad>(lower_pad<F>);
  lowerings.template set<Fold>(lower_fold<F>);
  return lowerings;
}

}  // namespace

template <class F>
Lowering<F> lowering_of(const Operation& operation) {
  static const OpcodeTable<Lowering<F>> lowerings = table<F>();
  return lowerings[operation];
}

template Lowering<float> lowering_of(const Operation&);
template Lowering<double> lowering_of(const Operation&);

}  // namespace topos::engine
