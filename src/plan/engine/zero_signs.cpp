#include "plan/engine/zero_signs.hpp"

#include "plan/engine/opcode_table.hpp"
#include "topos/ops/op_list.hpp"

namespace topos::engine {
namespace {

// What the sign of an operand's zero can change in a result.
enum class Effect {
  any,        // more than signs of zeros: 1 / x
  zero_sign,  // signs of zeros: -x
  none,       // nothing: exp(x)
};

const OpcodeTable<std::array<Effect, 2>>& effects() {
  using enum Effect;
  static const OpcodeTable<std::array<Effect, 2>> table = [] {
    OpcodeTable<std::array<Effect, 2>> effects;  // of what is not named: any
    const auto both = [&]<class... Op>(TypeList<Op...>, Effect effect) {
      (effects.set<Op>({effect, effect}), ...);
    };
    // A product's running value is -0 where one underflowed to it: so products are here, and sums are not.
    both(TypeList<Add, Subtract, Multiply, Negate, Maximum, Sqrt, Tanh, Sin, Log1p, Expm1, Erf, Convert,
                  MatMul, Broadcast, BroadcastAlong, Reshape, Permute, Narrow, Pad, Unfold, Fold>(),
         zero_sign);
    both(TypeList<SumAlong, Exp, Cos, Log, Step, ErfDerivative>(), none);
    effects.set<Divide>({zero_sign, any});
    return effects;
  }();
  return table;
}

// x + c loses the sign of a zero x, unless c is -0.
template <class F>
bool is_other_than_negative_zero(const Program<F>& program, NodeIndex index) {
  const Node& node = program.graph[index];
  if (!node.operation.is<Leaf>() || !program.leaves[node.slot].is_uniform()) return false;
  return bits_of(program.leaves[node.slot].narrowed_to_one().item()) != bits_of(F{-0.0});
}

}  // namespace

template <class F>
std::vector<bool> zero_signs_wanted(const Program<F>& program, const Schedule& schedule) {
  const Graph& graph = program.graph;
  std::vector<bool> wanted(graph.size(), false);
  for (const NodeIndex index : schedule.results()) wanted[index] = true;
  const std::vector<NodeIndex>& nodes = schedule.wanted();
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    const Node& node = graph[*at];
    const std::span<const NodeIndex> operands = node.operand_indices();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      Effect effect = effects()[node.operation][i];
      if (node.operation.is<Add>() && is_other_than_negative_zero(program, operands[1 - i]))
        effect = Effect::none;
      if (effect == Effect::any || (effect == Effect::zero_sign && wanted[*at])) wanted[operands[i]] = true;
    }
  }
  return wanted;
}

template std::vector<bool> zero_signs_wanted(const Program<float>&, const Schedule&);
template std::vector<bool> zero_signs_wanted(const Program<double>&, const Schedule&);

}  // namespace topos::engine
