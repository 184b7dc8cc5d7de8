#include "plan/engine/lowering_list.hpp"

namespace topos {
struct BroadcastAlong;
struct Broadcast;
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
std::vector<Lowering<F>> table() {
  std::vector<Lowering<F>> lowerings;
  const auto set = [&]<class Op>(Op*, Lowering<F> lowering) {
    const std::size_t opcode = detail::operation_info<Op>().opcode;
    if (lowerings.size() <= opcode) lowerings.resize(opcode + 1, nullptr);
    lowerings[opcode] = lowering;
  };
  for (const detail::OperationInfo* operation : detail::vocabulary()) {
    if (lowerings.size() <= operation->opcode) lowerings.resize(operation->opcode + 1, nullptr);
    if (operation->is_elementwise) lowerings[operation->opcode] = lower_elementwise<F>;
  }
  set(static_cast<Broadcast*>(nullptr), lower_view<F>);
  set(static_cast<BroadcastAlong*>(nullptr), lower_view<F>);
  set(static_cast<Narrow*>(nullptr), lower_view<F>);
  set(static_cast<Permute*>(nullptr), lower_view<F>);
  set(static_cast<Reshape*>(nullptr), lower_view<F>);
  set(static_cast<Unfold*>(nullptr), lower_view<F>);
  set(static_cast<MatMul*>(nullptr), lower_matmul<F>);
  set(static_cast<Sum*>(nullptr), lower_sum<F>);
  set(static_cast<SumAlong*>(nullptr), lower_line<F>);
  set(static_cast<LogSoftmax*>(nullptr), lower_line<F>);
  set(static_cast<LogSumExp*>(nullptr), lower_line<F>);
  set(static_cast<Gather*>(nullptr), lower_gather<F>);
  set(static_cast<Scatter*>(nullptr), lower_scatter<F>);
  set(static_cast<Pad*>(nullptr), lower_pad<F>);
  set(static_cast<Fold*>(nullptr), lower_fold<F>);
  return lowerings;
}

}  // namespace

template <class F>
Lowering<F> lowering_of(const Operation& operation) {
  static const std::vector<Lowering<F>> lowerings = table<F>();
  return operation.opcode() < lowerings.size() ? lowerings[operation.opcode()] : nullptr;
}

template Lowering<float> lowering_of(const Operation&);
template Lowering<double> lowering_of(const Operation&);

}  // namespace topos::engine
