// Attention.
#pragma once

#include <vector>

#include "topos/composites/activations.hpp"
#include "topos/composites/axes.hpp"
#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// [n, n]: zero where the key's position is at most the query's, `fill` where it is later.
template <class E>
Tensor<E> causal_mask(Extent n, E fill = ElementTraits<E>::negative_infinity()) {
  std::vector<E> elements;
  for (Extent query = 0; query < n; ++query) {
    for (Extent key = 0; key < n; ++key) {
      elements.push_back(key <= query ? ElementTraits<E>::from_double(0.0) : fill);
    }
  }
  return Tensor<E>(Shape({n, n}), std::move(elements));
}

/// softmax(q k^T scale + mask) v for q [queries, width], k [keys, width], v [keys, values], mask
/// [queries, keys], scale of one element.
template <Recordable R>
R scaled_dot_product(const R& q, const R& k, const R& v, const R& mask, const R& scale,
                     const Where& where = Where::current()) {
  const R transposed = transpose(k, where);
  const R scores = matmul(q, transposed, where);
  const R spread = broadcast_like(scale, scores, where);
  const R scaled = multiply(scores, spread, where);
  const R masked = add(scaled, mask, where);
  return matmul(softmax(masked, 1, where), v, where);
}

}  // namespace topos
