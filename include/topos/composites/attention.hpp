// Attention.
#pragma once

#include <vector>

#include "topos/composites/activations.hpp"
#include "topos/composites/axes.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// [queries, keys] for queries at positions offset, offset + 1, ... over keys from position 0: zero where the
/// key is at most as late, `fill` elsewhere. With a cache of `keys` places, `offset` of them filled before,
/// it hides the places that are not filled yet, too. Throws UsageError for a negative offset.
template <class E>
Tensor<E> causal_mask(Extent queries, Extent keys, Extent offset,
                      E fill = ElementTraits<E>::negative_infinity()) {
  if (offset < 0) throw UsageError(fmt::format("a position is not negative; got offset {}", offset));
  const E zero = ElementTraits<E>::from_double(0.0);
  std::vector<E> elements;
  for (Extent query = 0; query < queries; ++query) {
    for (Extent key = 0; key < keys; ++key) elements.push_back(key - query <= offset ? zero : fill);
  }
  return Tensor<E>(Shape({queries, keys}), std::move(elements));
}

/// [n, n]: zero where the key's position is at most the query's, `fill` where it is later.
template <class E>
Tensor<E> causal_mask(Extent n, E fill = ElementTraits<E>::negative_infinity()) {
  return causal_mask<E>(n, n, 0, fill);
}

namespace detail {

/// q k^T scale of the last two axes.
template <Recordable R>
R scaled_scores(const R& q, const R& k, const R& scale, const Where& where) {
  const Axis rank = shape_of(k, where).rank();
  require(rank >= 2, "scaled_dot_product", "the keys must be [..., keys, width]", {shape_of(k, where)},
          where);
  std::vector<Axis> order;
  for (Axis axis = 0; axis < rank - 2; ++axis) order.push_back(axis);
  order.insert(order.end(), {rank - 1, rank - 2});
  const R transposed = permute(k, std::move(order), where);
  const R scores = matmul(q, transposed, where);
  const R spread = broadcast_like(scale, scores, where);
  return multiply(scores, spread, where);
}

}  // namespace detail

/// softmax(q k^T scale + mask) v for q [..., queries, width], k [..., keys, width], v [..., keys, values],
/// scale of one element, and a mask that is stretched to [..., queries, keys] as by broadcast_to. A query
/// whose keys are all masked by -infinity gives NaN: see masked_attention.
template <Recordable R>
R scaled_dot_product(const R& q, const R& k, const R& v, const R& mask, const R& scale,
                     const Where& where = Where::current()) {
  const R scaled = detail::scaled_scores(q, k, scale, where);
  const Shape shape = shape_of(scaled, where);
  const R masked = add(scaled, broadcast_to(mask, shape, where), where);
  return matmul(softmax(masked, shape.rank() - 1, where), v, where);
}

/// The same where the mask may hide every key of a query: such a row is zeros, and so is what it adds to any
/// gradient. Other rows have the bits of scaled_dot_product. A key is hidden where the mask is below -1e30:
/// by -infinity, or by the lowest finite number.
template <Recordable R>
R masked_attention(const R& q, const R& k, const R& v, const R& mask, const R& scale,
                   const Where& where = Where::current()) {
  const R scaled = detail::scaled_scores(q, k, scale, where);
  const Shape shape = shape_of(scaled, where);
  // A finite floor keeps the softmax of a hidden row finite; beside any other score it still weighs nothing.
  const R floor = mask.constant(shape_of(mask, where), -1e30);
  const R finite = maximum(mask, floor, where);
  const R masked = add(scaled, broadcast_to(finite, shape, where), where);
  const R probabilities = softmax(masked, shape.rank() - 1, where);
  const R seen = step(mask, floor, where);
  const R weights = multiply(probabilities, broadcast_to(seen, shape, where), where);
  return matmul(weights, v, where);
}

/// [batch, time, heads * width] as [batch, heads, time, width]; without a batch, [heads, time, width].
template <Recordable R>
R split_heads(const R& x, Extent heads, const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  const Axis rank = shape.rank();
  detail::require((rank == 2 || rank == 3) && heads > 0 && shape[rank - 1] % heads == 0, "split_heads",
                  fmt::format("the input must be [batch, time, width] or [time, width], its width a multiple "
                              "of {} heads",
                              heads),
                  {shape}, where);
  const Shape parted = shape.with_extent(rank - 1, heads).with_axis(rank, shape[rank - 1] / heads);
  const std::vector<Axis> order = rank == 3 ? std::vector<Axis>{0, 2, 1, 3} : std::vector<Axis>{1, 0, 2};
  return permute(reshape(x, parted, where), order, where);
}

/// The inverse of split_heads.
template <Recordable R>
R merge_heads(const R& x, const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  const Axis rank = shape.rank();
  detail::require(rank == 3 || rank == 4, "merge_heads",
                  "the input must be [batch, heads, time, width] or [heads, time, width]", {shape}, where);
  const std::vector<Axis> order = rank == 4 ? std::vector<Axis>{0, 2, 1, 3} : std::vector<Axis>{1, 0, 2};
  const Shape merged = shape.without_axis(rank - 3).with_extent(rank - 2, shape[rank - 3] * shape[rank - 1]);
  return reshape(permute(x, order, where), merged, where);
}

}  // namespace topos
