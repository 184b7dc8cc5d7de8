// Layers that treat each row by itself, applied to operands of more axes.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/graph/value.hpp"

namespace topos::detail {

/// layer(x) for x [rows, width]; more leading axes become rows and are restored after.
template <class E, class Layer>
Value<E> by_rows(const Value<E>& x, const Where& where, Layer layer) {
  const Shape shape = x.shape(where);
  if (shape.rank() == 2) return layer(x);
  const Extent width = shape[shape.rank() - 1];
  Extent rows = 1;
  for (Axis axis = 0; axis + 1 < shape.rank(); ++axis) rows *= shape[axis];
  const Value<E> result = layer(reshape(x, Shape({rows, width}), where));
  return reshape(result, shape.with_extent(shape.rank() - 1, result.shape(where)[1]), where);
}

/// Throws unless x is [..., width] of rank 2 at least.
template <class E>
void require_rows(const Value<E>& x, Extent width, std::string_view name, const Where& where) {
  const Shape shape = x.shape(where);
  require(shape.rank() >= 2 && shape[shape.rank() - 1] == width, name,
          fmt::format("the input must be [rows, {}], or have more leading axes", width), {shape}, where);
}

}  // namespace topos::detail
