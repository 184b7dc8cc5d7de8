// The matrix product, batched over equal leading axes.
#pragma once

#include <fmt/format.h>

#include <numeric>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/matmul.hpp"

namespace topos {

namespace detail {
/// 0, 1, ..., with the last two axes swapped.
inline std::vector<Axis> last_two_swapped(Axis rank) {
  std::vector<Axis> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), Axis{0});
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}
}  // namespace detail

struct MatMul : OperationDefaults {
  static constexpr std::string_view name = "MatMul";
  static constexpr std::size_t arity = 2;
  static constexpr Reads reads = Reads::both;
  static constexpr bool accumulates = true;
  Shape infer_shape(const OperandShapes& in) const {
    const Axis rank = in[0].rank();
    in.require(rank >= 2, "C1: the operands must have at least two axes");
    in.require(in[1].rank() == rank, "C2: the operands must have the same rank");
    for (Axis axis = 0; axis < rank - 2; ++axis) {
      in.require(in[0][axis] == in[1][axis], "C3: the leading (batch) extents must be equal");
    }
    in.require(in[0][rank - 1] == in[1][rank - 2],
               "C4: the left operand's last extent must equal the right operand's second to last");
    return in[0].with_extent(rank - 1, in[1][rank - 1]);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    return reference::matmul(in[0], in[1], shape);
  }
  // d(A B) = dA B^T, A^T dB: the cotangent times the other operand, its last two axes swapped
  template <class R>
  Cotangents<R, 2> vjp(const Linearization<R>& at) const {
    const R right_transposed = permute(at.right(), detail::last_two_swapped(at.right().shape().rank()));
    const R left = matmul(at.cotangent, right_transposed);
    const R left_transposed = permute(at.left(), detail::last_two_swapped(at.left().shape().rank()));
    return {left, matmul(left_transposed, at.cotangent)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const Axis rank = out.shape(0).rank();
    std::vector<Axis> batch(static_cast<std::size_t>(rank - 2));
    std::iota(batch.begin(), batch.end(), Axis{0});
    out.product("", out.operand(0), out.shape(0), out.operand(1), out.shape(1), batch, {rank - 1}, {rank - 2},
                out.result_shape());
  }
};

}  // namespace topos
