// Compositions that move, add, remove and join axes.
#pragma once

#include <vector>

#include "topos/composites/require.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

namespace detail {

/// total / count elementwise, or, past 2^24, times the reciprocal, since f32 cannot hold every larger count.
template <Recordable R>
R over_count(const R& total, Extent count, const Where& where) {
  constexpr Extent largest_exact_count = Extent{1} << 24;
  const Shape shape = shape_of(total, where);
  if (count > largest_exact_count)
    return multiply(total, total.constant(shape, 1.0 / static_cast<double>(count)), where);
  return divide(total, total.constant(shape, static_cast<double>(count)), where);
}

}  // namespace detail

/// The mean along `axis`: the sum divided by the extent, or, past 2^24 elements, times its reciprocal.
template <Recordable R>
R mean_along(const R& x, Axis axis, const Where& where = Where::current()) {
  const R total = sum_along(x, axis, where);
  return detail::over_count(total, shape_of(x, where)[axis], where);
}

/// The mean of all elements, rank 0, by the same rule.
template <Recordable R>
R mean(const R& x, const Where& where = Where::current()) {
  return detail::over_count(sum(x, where), shape_of(x, where).volume(), where);
}

/// x, of one element, with the shape of `reference`, which is not read otherwise.
template <Recordable R>
R broadcast_like(const R& x, const R& reference, const Where& where = Where::current()) {
  return broadcast(x, shape_of(reference, where), where);
}

/// x repeated along `axis` of `reference`, whose shape without that axis is x's.
template <Recordable R>
R broadcast_along_like(const R& x, Axis axis, const R& reference, const Where& where = Where::current()) {
  const Shape shape = shape_of(reference, where);
  detail::require(shape.has_axis(axis) && shape.without_axis(axis) == shape_of(x, where),
                  "broadcast_along_like", "the operand must have the reference's shape without the axis",
                  {shape_of(x, where), shape}, where);
  return broadcast_along(x, axis, shape[axis], where);
}

/// The axes reversed; rank 2 at most.
template <Recordable R>
R transpose(const R& x, const Where& where = Where::current()) {
  const Axis rank = shape_of(x, where).rank();
  detail::require(rank <= 2, "transpose", "at most two axes can be transposed: use permute",
                  {shape_of(x, where)}, where);
  std::vector<Axis> order;
  for (Axis axis = rank; axis-- > 0;) order.push_back(axis);
  return permute(x, std::move(order), where);
}

/// A new axis of extent 1 before `axis`.
template <Recordable R>
R unsqueeze(const R& x, Axis axis, const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  detail::require(axis >= 0 && axis <= shape.rank(), "unsqueeze", "the new axis must lie in 0 ... rank",
                  {shape}, where);
  return reshape(x, shape.with_axis(axis, 1), where);
}

/// Without `axis`, whose extent is 1.
template <Recordable R>
R squeeze(const R& x, Axis axis, const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  detail::require(shape.has_axis(axis) && shape[axis] == 1, "squeeze",
                  "the axis must exist and have extent 1", {shape}, where);
  return reshape(x, shape.without_axis(axis), where);
}

/// x stretched to `target` as NumPy broadcasts: axes align from the last; each is equal, or 1 and repeated.
template <Recordable R>
R broadcast_to(const R& x, const Shape& target, const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  if (shape == target) return x;
  if (shape.volume() == 1) return broadcast(x, target, where);
  const Axis missing = target.rank() - shape.rank();
  bool fits = missing >= 0;
  for (Axis axis = 0; fits && axis < shape.rank(); ++axis) {
    fits = shape[axis] == target[axis + missing] || shape[axis] == 1;
  }
  detail::require(fits, "broadcast_to", "aligned from the last, each extent must equal the target's or be 1",
                  {shape, target}, where);
  R result = x;
  if (missing > 0) {
    Shape padded = shape;
    for (Axis axis = 0; axis < missing; ++axis) padded = padded.with_axis(0, 1);
    result = reshape(result, padded, where);
  }
  for (Axis axis = 0; axis < target.rank(); ++axis) {
    const Shape current = shape_of(result, where);
    if (current[axis] == target[axis]) continue;
    result = reshape(result, current.without_axis(axis), where);
    result = broadcast_along(result, axis, target[axis], where);
  }
  return result;
}

/// The values one after another along `axis`; all other extents equal. One value is itself.
template <Recordable R>
R concat(const std::vector<R>& values, Axis axis, const Where& where = Where::current()) {
  detail::require(!values.empty(), "concat", "at least one value is needed", {}, where);
  const Shape first = shape_of(values[0], where);
  detail::require(first.has_axis(axis), "concat", "the axis must be an axis of the values", {first}, where);
  Extent full = 0;
  for (const R& value : values) {
    const Shape shape = shape_of(value, where);
    detail::require(shape.rank() == first.rank() && shape.with_extent(axis, first[axis]) == first, "concat",
                    "the values' extents off the axis must be equal", {first, shape}, where);
    detail::require(!__builtin_add_overflow(full, shape[axis], &full), "concat",
                    "the joined extent is too large", {first, shape}, where);
  }
  if (values.size() == 1) return values[0];
  R total = pad(values[0], axis, 0, full, where);
  Extent start = first[axis];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const R part = pad(values[i], axis, start, full, where);
    total = add(total, part, where);
    start += shape_of(values[i], where)[axis];
  }
  return total;
}

/// The values, of equal shapes, as slices of a new axis.
template <Recordable R>
R stack(const std::vector<R>& values, Axis axis, const Where& where = Where::current()) {
  std::vector<R> slices;
  for (const R& value : values) slices.push_back(unsqueeze(value, axis, where));
  return concat(slices, axis, where);
}

}  // namespace topos
