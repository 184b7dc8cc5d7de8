// Rows taken and rows added by index.
#pragma once

#include "topos/base/error.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos::reference {

/// The indices behind a gather's or scatter's second operand. A dense matrix whose rows are one-hot means the
/// same; anything else is refused (UsageError).
template <class E>
std::vector<std::int64_t> row_indices(const Tensor<E>& selection) {
  if (const Selection* known = selection.as_selection()) return known->indices;
  const Extent classes = selection.shape()[1];
  const Elements<E> elements = selection.elements();
  const E zero = ElementTraits<E>::from_double(0.0);
  const E one = ElementTraits<E>::from_double(1.0);
  std::vector<std::int64_t> indices;
  for (Extent row = 0; row < selection.shape()[0]; ++row) {
    std::int64_t index = -1;
    for (Extent c = 0; c < classes; ++c) {
      const E& element = elements[static_cast<std::size_t>(row * classes + c)];
      if (element == zero) continue;
      if (!(element == one) || index >= 0) {
        throw UsageError(
            "gather and scatter read a selection: pass Tensor::selection(indices, classes), or a matrix "
            "whose "
            "rows are one-hot; row " +
            std::to_string(row) + " is not");
      }
      index = c;
    }
    if (index < 0) {
      throw UsageError("gather and scatter read a selection; row " + std::to_string(row) +
                       " selects nothing");
    }
    indices.push_back(index);
  }
  return indices;
}

/// Row indices[i] of the table, for each i.
template <class E>
Tensor<E> gather(const Tensor<E>& table, const Tensor<E>& selection, Shape shape) {
  const std::vector<std::int64_t> indices = row_indices(selection);
  const Elements<E> in = table.elements();
  const Extent row = table.shape()[0] == 0 ? 0 : table.volume() / table.shape()[0];
  std::vector<E> out;
  out.reserve(static_cast<std::size_t>(shape.volume()));
  for (const std::int64_t index : indices) {
    out.insert(out.end(), in.begin() + index * row, in.begin() + (index + 1) * row);
  }
  return Tensor<E>(std::move(shape), std::move(out));
}

/// Row i added to row indices[i] of a zero table, i ascending.
template <class E>
Tensor<E> scatter(const Tensor<E>& gradient, const Tensor<E>& selection, Shape shape) {
  const std::vector<std::int64_t> indices = row_indices(selection);
  const Elements<E> in = gradient.elements();
  std::vector<E> out(static_cast<std::size_t>(shape.volume()), ElementTraits<E>::from_double(0.0));
  const Extent row = shape[0] == 0 ? 0 : shape.volume() / shape[0];
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const E* source = in.data() + static_cast<Extent>(i) * row;
    E* target = out.data() + indices[i] * row;
    for (Extent k = 0; k < row; ++k) target[k] = target[k] + source[k];
  }
  return Tensor<E>(std::move(shape), std::move(out));
}

}  // namespace topos::reference
