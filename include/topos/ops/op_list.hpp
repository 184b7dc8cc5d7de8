// THE list of operations. An operation is one header and one line here; opcodes, dispatch, the printer, the
// emitter and the tests are generated from the list, and a missing reading is a compile error that names it.
#pragma once

#include <concepts>

#include "topos/base/type_list.hpp"
#include "topos/ops/add.hpp"
#include "topos/ops/broadcast.hpp"
#include "topos/ops/broadcast_along.hpp"
#include "topos/ops/convert.hpp"
#include "topos/ops/cos.hpp"
#include "topos/ops/divide.hpp"
#include "topos/ops/erf.hpp"
#include "topos/ops/erf_derivative.hpp"
#include "topos/ops/exp.hpp"
#include "topos/ops/expm1.hpp"
#include "topos/ops/fold.hpp"
#include "topos/ops/gather.hpp"
#include "topos/ops/input.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/log.hpp"
#include "topos/ops/log1p.hpp"
#include "topos/ops/log_softmax.hpp"
#include "topos/ops/logsumexp.hpp"
#include "topos/ops/matmul.hpp"
#include "topos/ops/maximum.hpp"
#include "topos/ops/multiply.hpp"
#include "topos/ops/narrow.hpp"
#include "topos/ops/negate.hpp"
#include "topos/ops/pad.hpp"
#include "topos/ops/parameter.hpp"
#include "topos/ops/permute.hpp"
#include "topos/ops/power.hpp"
#include "topos/ops/reshape.hpp"
#include "topos/ops/scatter.hpp"
#include "topos/ops/sin.hpp"
#include "topos/ops/sqrt.hpp"
#include "topos/ops/step.hpp"
#include "topos/ops/subtract.hpp"
#include "topos/ops/sum.hpp"
#include "topos/ops/sum_along.hpp"
#include "topos/ops/tanh.hpp"
#include "topos/ops/unfold.hpp"

namespace topos {

/// Every operation; its position here is its opcode.
// clang-format off
using OpList = TypeList<
    Leaf, Parameter, Input,
    Add, Subtract, Multiply, Divide, Negate,
    Exp, Log, Sqrt, Tanh, Sin, Cos, Log1p, Expm1, Erf, ErfDerivative,
    Power, Maximum, Step,
    MatMul, Sum, SumAlong, Broadcast, BroadcastAlong,
    Reshape, Permute, Narrow, Pad, Unfold, Fold,
    Gather, Scatter, LogSoftmax, LogSumExp, Convert>;
// clang-format on

// What an operation has, a concept each, so that the compiler names what is missing.

/// What descriptions and messages call it.
template <class Op>
concept HasName = std::convertible_to<decltype(Op::name), std::string_view>;
/// How many operands it takes, max_arity at most.
template <class Op>
concept HasArity = std::convertible_to<decltype(Op::arity), std::size_t>;
/// The values that its derivative rule reads.
template <class Op>
concept HasReads = std::convertible_to<decltype(Op::reads), Reads>;
/// Its attributes, in the order of its constructor.
template <class Op>
concept HasFields = requires(const Op& op) {
  { op.fields() } -> std::same_as<std::vector<Field>>;
};
/// The result's shape, its constraints required of the operands.
template <class Op>
concept HasShapeRule = requires(const Op& op, const OperandShapes& in) {
  { op.infer_shape(in) } -> std::same_as<Shape>;
};
/// Its value over tensors of any element, by the loop that defines the bits. The shape is the result's.
template <class Op>
concept HasEvaluation = requires(const Op& op, std::span<const Tensor<float>> in, const Shape& shape) {
  { op.evaluate(in, shape) } -> std::same_as<Tensor<float>>;
};
/// Its vector-Jacobian product over any Recordable, read or recorded.
template <class Op>
concept HasDerivativeRule = requires(const Op& op, const Linearization<Tensor<float>>& at) {
  { op.vjp(at) } -> std::same_as<Cotangents<Tensor<float>, Op::arity>>;
};

/// Every reading that an operation must have. Its text, spell(out) over a StableHloWriter, is checked where
/// it is instantiated, by emission.
template <class Op>
concept Vocabulary = HasName<Op> && HasArity<Op> && HasReads<Op> && HasFields<Op> && HasShapeRule<Op> &&
                     HasEvaluation<Op> && HasDerivativeRule<Op>;

}  // namespace topos
