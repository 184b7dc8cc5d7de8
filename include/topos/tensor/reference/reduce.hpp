// The sum that every adding reduction uses, and the shifted exponentials of the softmax family.
#pragma once

#include <array>

#include "topos/tensor/tensor.hpp"

namespace topos::reference {

/// Sum of `count` elements `stride` apart: element i goes to partial sum i mod 16, each from +0, inside
/// blocks of 4096; the 16 fold as a tree (8, 4, 2, 1); the block sums are summed by the same rule.
template <class E>
E sum(const E* elements, Extent count, Extent stride = 1) {
  constexpr Extent lanes = 16;
  constexpr Extent block = 4096;
  std::vector<E> block_sums;
  E result = ElementTraits<E>::from_double(0.0);
  for (Extent start = 0; start < count || start == 0; start += block) {
    std::array<E, lanes> partial;
    partial.fill(ElementTraits<E>::from_double(0.0));
    const Extent length = std::min(block, count - start);
    const E* at = elements + start * stride;
    for (Extent i = 0; i < length; ++i) {
      E& lane = partial[static_cast<std::size_t>(i % lanes)];
      lane = lane + at[i * stride];
    }
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) partial[lane] = partial[lane] + partial[lane + half];
    }
    result = partial[0];
    if (count > block) block_sums.push_back(result);
  }
  if (count <= block) return result;
  return sum(block_sums.data(), static_cast<Extent>(block_sums.size()));
}

/// The extents around an axis: element (o, i, k) of [outer, extent, inner] is (o * extent + i) * inner + k.
struct AroundAxis {
  Extent outer = 1;
  Extent extent;
  Extent inner = 1;

  AroundAxis(const Shape& shape, Axis axis) : extent(shape[axis]) {
    for (Axis a = 0; a < axis; ++a) outer *= shape[a];
    for (Axis a = axis + 1; a < shape.rank(); ++a) inner *= shape[a];
  }
};

/// Calls reduce(first element, extent, stride) for each line along `axis`; its results form the shape without
/// it.
template <class E, class Reduce>
Tensor<E> reduce_along(const Tensor<E>& x, Axis axis, Reduce reduce) {
  const AroundAxis around(x.shape(), axis);
  const Elements<E> in = x.elements();
  std::vector<E> out;
  out.reserve(static_cast<std::size_t>(around.outer * around.inner));
  for (Extent o = 0; o < around.outer; ++o) {
    for (Extent k = 0; k < around.inner; ++k) {
      // a line of nothing lies nowhere: an offset into no memory is not even computed
      const E* const line = around.extent > 0 ? in.data() + o * around.extent * around.inner + k : nullptr;
      out.push_back(reduce(line, around.extent, around.inner));
    }
  }
  return Tensor<E>(x.shape().without_axis(axis), std::move(out));
}

/// Maximum of a line; -infinity for an empty one; NaN if any element is.
template <class E>
E maximum(const E* elements, Extent count, Extent stride) {
  E peak = ElementTraits<E>::negative_infinity();
  for (Extent i = 0; i < count; ++i) peak = ElementTraits<E>::maximum(peak, elements[i * stride]);
  return peak;
}

/// log(sum(exp(x - shift))), the sum by `sum` above in the accumulator, then rounded.
template <class E>
E log_sum_exp_shifted(const E* elements, Extent count, Extent stride, E shift) {
  std::vector<Accumulator<E>> exponentials(static_cast<std::size_t>(count));
  for (Extent i = 0; i < count; ++i) {
    const E exponential = ElementTraits<E>::exp(elements[i * stride] - shift);
    exponentials[static_cast<std::size_t>(i)] = static_cast<Accumulator<E>>(exponential);
  }
  return ElementTraits<E>::log(static_cast<E>(sum(exponentials.data(), count)));
}

}  // namespace topos::reference
