// The matrix product: for every output element one chain of fused multiply-adds over ascending k, from +0.
#pragma once

#include "topos/tensor/tensor.hpp"

namespace topos::reference {

/// accumulator[j] = fma(scale, row[j], accumulator[j]) for j = 0 … count - 1.
template <class E>
void accumulate_scaled_row(E scale, const E* row, E* accumulator, Extent count) {
  for (Extent j = 0; j < count; ++j) {
    accumulator[j] = ElementTraits<E>::fused_multiply_add(scale, row[j], accumulator[j]);
  }
}
// The same loops where the processor has the instruction (src/tensor/matmul.cpp): same bits, no library call.
template <>
void accumulate_scaled_row(float scale, const float* row, float* accumulator, Extent count);
template <>
void accumulate_scaled_row(double scale, const double* row, double* accumulator, Extent count);

/// [..., m, k] x [..., k, n] -> [..., m, n], leading axes equal.
template <class E>
Tensor<E> matmul(const Tensor<E>& a, const Tensor<E>& b, Shape shape) {
  const Axis rank = shape.rank();
  const Extent rows = shape[rank - 2];
  const Extent columns = shape[rank - 1];
  const Extent depth = a.shape()[rank - 1];
  const Elements<E> left = a.elements();
  const Elements<E> right = b.elements();
  const Extent products = rows * columns == 0 ? 0 : shape.volume() / (rows * columns);
  std::vector<E> out(static_cast<std::size_t>(shape.volume()), ElementTraits<E>::from_double(0.0));
  for (Extent product = 0; product < products; ++product) {
    const E* left_matrix = left.data() + product * rows * depth;
    const E* right_matrix = right.data() + product * depth * columns;
    E* out_matrix = out.data() + product * rows * columns;
    for (Extent i = 0; i < rows; ++i) {
      for (Extent k = 0; k < depth; ++k) {
        accumulate_scaled_row(left_matrix[i * depth + k], right_matrix + k * columns,
                              out_matrix + i * columns, columns);
      }
    }
  }
  return Tensor<E>(std::move(shape), std::move(out));
}

}  // namespace topos::reference
