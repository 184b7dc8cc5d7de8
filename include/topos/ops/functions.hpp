// The functions that users write programs with and derivative rules are written in, one per operation. What
// an operation means is told in its own header, which only the dispatch tables include: changing one rebuilds
// neither programs nor the other operations.
#pragma once

#include "topos/ops/recordable.hpp"

namespace topos {

struct Add;
/// a + b, elementwise, one IEEE addition. Equal shapes.
template <Recordable R>
R add(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Add>(), a, b, where);
}

struct Subtract;
/// a - b, elementwise, one IEEE subtraction. Equal shapes.
template <Recordable R>
R subtract(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Subtract>(), a, b, where);
}

struct Multiply;
/// a * b, elementwise, one IEEE multiplication. Equal shapes.
template <Recordable R>
R multiply(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Multiply>(), a, b, where);
}

struct Divide;
/// a / b, elementwise, one IEEE division. Equal shapes.
template <Recordable R>
R divide(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Divide>(), a, b, where);
}

struct Negate;
/// -x, elementwise: the sign flipped, also of zero.
template <Recordable R>
R negate(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Negate>(), x, where);
}

struct Exp;
/// e^x, elementwise.
template <Recordable R>
R exp(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Exp>(), x, where);
}

struct Log;
/// The natural logarithm, elementwise.
template <Recordable R>
R log(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Log>(), x, where);
}

struct Sqrt;
/// The square root, elementwise, one IEEE operation.
template <Recordable R>
R sqrt(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Sqrt>(), x, where);
}

struct Tanh;
/// The hyperbolic tangent, elementwise.
template <Recordable R>
R tanh(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Tanh>(), x, where);
}

struct Sin;
/// The sine, elementwise, x in radians.
template <Recordable R>
R sin(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Sin>(), x, where);
}

struct Cos;
/// The cosine, elementwise, x in radians.
template <Recordable R>
R cos(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Cos>(), x, where);
}

struct Log1p;
/// ln(1 + x), elementwise, accurate near 0.
template <Recordable R>
R log1p(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Log1p>(), x, where);
}

struct Expm1;
/// e^x - 1, elementwise, accurate near 0.
template <Recordable R>
R expm1(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Expm1>(), x, where);
}

struct Erf;
/// The error function, elementwise.
template <Recordable R>
R erf(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Erf>(), x, where);
}

struct ErfDerivative;
/// erf'(x) = 2/sqrt(pi) e^(-x^2), elementwise, computed as exp(-(x x)) times the rounded constant.
template <Recordable R>
R erf_derivative(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<ErfDerivative>(), x, where);
}

struct Power;
/// x^y, elementwise, with the special cases of IEEE 754 pow. Equal shapes.
template <Recordable R>
R pow(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Power>(), a, b, where);
}

struct Maximum;
/// The larger of a and b, elementwise: NaN if either is NaN, and +0 above -0. Equal shapes.
template <Recordable R>
R maximum(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Maximum>(), a, b, where);
}

struct Step;
/// 1 where a >= b, else 0 (also where either is NaN). Equal shapes.
template <Recordable R>
R step(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<Step>(), a, b, where);
}

struct MatMul;
/// [..., m, k] times [..., k, n] gives [..., m, n]; leading extents equal. Each element is one chain of fused
/// multiply-adds over ascending k.
template <Recordable R>
R matmul(const R& a, const R& b, const Where& where = Where::current()) {
  return apply(make_operation<MatMul>(), a, b, where);
}

struct Sum;
/// The sum of all elements, rank 0; a rank-0 operand is its own sum.
template <Recordable R>
R sum(const R& x, const Where& where = Where::current()) {
  return apply(make_operation<Sum>(), x, where);
}

struct SumAlong;
/// The sum along `axis`, which the result lacks.
template <Recordable R>
R sum_along(const R& x, Axis axis, const Where& where = Where::current()) {
  return apply(make_operation<SumAlong>(axis), x, where);
}

struct Broadcast;
/// Every element of the result is the operand's only one; the operand may have any rank.
template <Recordable R>
R broadcast(const R& x, const Shape& shape, const Where& where = Where::current()) {
  return apply(make_operation<Broadcast>(shape), x, where);
}

struct BroadcastAlong;
/// The operand repeated `extent` times along a new axis inserted before `axis`.
template <Recordable R>
R broadcast_along(const R& x, Axis axis, Extent extent, const Where& where = Where::current()) {
  return apply(make_operation<BroadcastAlong>(axis, extent), x, where);
}

struct Reshape;
/// The same elements in row-major order as `shape`, of equal volume.
template <Recordable R>
R reshape(const R& x, const Shape& shape, const Where& where = Where::current()) {
  return apply(make_operation<Reshape>(shape), x, where);
}

struct Permute;
/// The result's axis i is the operand's axis order[i].
template <Recordable R>
R permute(const R& x, std::vector<Axis> order, const Where& where = Where::current()) {
  return apply(make_operation<Permute>(std::move(order)), x, where);
}

struct Narrow;
/// Elements start ... start + length - 1 along `axis`.
template <Recordable R>
R narrow(const R& x, Axis axis, Extent start, Extent length, const Where& where = Where::current()) {
  return apply(make_operation<Narrow>(axis, start, length), x, where);
}

struct Pad;
/// The operand at start ... along `axis` of `full_extent`, zero elsewhere.
template <Recordable R>
R pad(const R& x, Axis axis, Extent start, Extent full_extent, const Where& where = Where::current()) {
  return apply(make_operation<Pad>(axis, start, full_extent), x, where);
}

struct Unfold;
/// Windows of `size` elements `dilation` apart, `step` between windows: `axis` becomes (count, size).
template <Recordable R>
R unfold(const R& x, Axis axis, Extent size, Extent step, Extent dilation = 1,
         const Where& where = Where::current()) {
  return apply(make_operation<Unfold>(axis, size, step, dilation), x, where);
}

struct Fold;
/// Windows (count, size) at axis, axis + 1 add into `extent` positions, windows ascending.
template <Recordable R>
R fold(const R& x, Axis axis, Extent size, Extent step, Extent dilation, Extent extent,
       const Where& where = Where::current()) {
  return apply(make_operation<Fold>(axis, size, step, dilation, extent), x, where);
}

struct Gather;
/// Row i of the result is the table's row that row i of the selection [count, rows] names.
template <Recordable R>
R gather(const R& table, const R& selection, const Where& where = Where::current()) {
  return apply(make_operation<Gather>(), table, selection, where);
}

struct Scatter;
/// [classes, ...]: row i of `rows` added to the row that row i of the selection [count, classes] names,
/// i ascending, from zero.
template <Recordable R>
R scatter(const R& rows, const R& selection, const Where& where = Where::current()) {
  return apply(make_operation<Scatter>(), rows, selection, where);
}

struct LogSoftmax;
/// log(softmax(x)) along `axis`. A line whose maximum is infinite gives NaN.
template <Recordable R>
R log_softmax(const R& x, Axis axis, const Where& where = Where::current()) {
  return apply(make_operation<LogSoftmax>(axis), x, where);
}

struct LogSumExp;
/// log(sum(exp(x))) along `axis`, which the result lacks; -infinity for a line of -infinity.
template <Recordable R>
R logsumexp(const R& x, Axis axis, const Where& where = Where::current()) {
  return apply(make_operation<LogSumExp>(axis), x, where);
}

struct Convert;
/// x held in `to`; x itself where it is held so already. Programs name the element: convert<Bf16>(x).
template <Recordable R>
R convert(const R& x, Precision to, const Where& where = Where::current()) {
  return precision_of(x, where) == to ? x : apply(make_operation<Convert>(to), x, where);
}

}  // namespace topos
