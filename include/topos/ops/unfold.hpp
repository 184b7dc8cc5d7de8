// Sliding windows along one axis, as two axes.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

struct Unfold : OperationDefaults {
  // What unfold() is given.
  Axis axis = 0;
  Extent size = 1;
  Extent step = 1;
  Extent dilation = 1;

  Unfold(Axis along, Extent window, Extent stride, Extent spacing)
      : axis(along), size(window), step(stride), dilation(spacing) {}
  using Attributes = TypeList<Axis, Extent, Extent, Extent>;
  static constexpr std::string_view name = "Unfold";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const {
    return {{"axis", axis}, {"size", size}, {"step", step}, {"dilation", dilation}};
  }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    in.require(size > 0 && step > 0 && dilation > 0, "C2: size, step and dilation must be positive");
    Extent span = 0;
    const bool overflows =
        __builtin_mul_overflow(dilation, size - 1, &span) || __builtin_add_overflow(span, 1, &span);
    in.require(!overflows && span <= in[0][axis],
               "C3: a window, dilation (size - 1) + 1 long, must fit in the axis");
    return in[0].with_extent(axis, window_count(in[0][axis], size, step, dilation)).with_axis(axis + 1, size);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return in[0].unfolded(axis, size, step, dilation);
  }
  // An element feeds every window that covers it: Fold adds their cotangents.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {fold(at.cotangent, axis, size, step, dilation, at.operand().shape()[axis])};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const Shape& windows = out.result_shape();
    const Extent count = windows[axis];
    std::vector<std::int64_t> positions;
    for (Extent w = 0; w < count; ++w) {
      for (Extent k = 0; k < size; ++k) positions.push_back(w * step + k * dilation);
    }
    const std::string starts = out.index_constant("_starts", Shape({count, size, 1}), positions);
    std::vector<Axis> offset_axes;
    for (Axis a = 0; a < windows.rank(); ++a) {
      if (a != axis && a != axis + 1) offset_axes.push_back(a);
    }
    const Shape slice = out.shape(0).with_extent(axis, 1);
    std::string slice_sizes;
    for (const Extent extent : slice.extents())
      slice_sizes += fmt::format("{}{}", slice_sizes.empty() ? "" : ", ", extent);
    out.define(
        "",
        fmt::format("\"stablehlo.gather\"({}, {}) {{dimension_numbers = #stablehlo.gather<offset_dims = {}, "
                    "collapsed_slice_dims = [{}], start_index_map = [{}], index_vector_dim = 2>, "
                    "indices_are_sorted = false, slice_sizes = array<i64: {}>}} : ({}, {}) -> {}",
                    out.operand(0), starts, describe(offset_axes), axis, axis, slice_sizes,
                    out.type(out.shape(0)), out.index_type(Shape({count, size, 1})), out.type(windows)));
  }
};

}  // namespace topos
