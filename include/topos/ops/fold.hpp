// Sliding windows added back into the axis they came from: the adjoint of Unfold.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/window.hpp"

namespace topos {

struct Fold : OperationDefaults {
  // What fold() is given.
  Axis axis = 0;
  Extent size = 1;
  Extent step = 1;
  Extent dilation = 1;
  Extent extent = 1;

  Fold(Axis along, Extent window, Extent stride, Extent spacing, Extent full)
      : axis(along), size(window), step(stride), dilation(spacing), extent(full) {}
  using Attributes = TypeList<Axis, Extent, Extent, Extent, Extent>;
  static constexpr std::string_view name = "Fold";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  static constexpr bool accumulates = true;
  std::vector<Field> fields() const {
    return {{"axis", axis}, {"size", size}, {"step", step}, {"dilation", dilation}, {"extent", extent}};
  }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(axis >= 0 && axis + 1 < in[0].rank(), "C1: axis and axis + 1 must be axes of the operand");
    in.require(size > 0 && step > 0 && dilation > 0, "C2: size, step and dilation must be positive");
    Extent span = 0;
    const bool overflows =
        __builtin_mul_overflow(dilation, size - 1, &span) || __builtin_add_overflow(span, 1, &span);
    in.require(!overflows && span <= extent,
               "C3: a window, dilation (size - 1) + 1 long, must fit in the extent");
    in.require(in[0][axis] == window_count(extent, size, step, dilation),
               "C4: axis must count the windows, (extent - span) / step + 1 of them");
    in.require(in[0][axis + 1] == size, "C5: axis + 1 must hold the window's size elements");
    return in[0].without_axis(axis + 1).with_extent(axis, extent);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    return reference::fold(in[0], axis, step, dilation, shape);
  }
  // Linear, with Unfold as its adjoint.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {unfold(at.cotangent, axis, size, step, dilation)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const Extent count = out.shape(0)[axis];
    // A product with a 0/1 matrix, which other compilers run fast, while the matrix is small.
    constexpr Extent largest_matrix = Extent{1} << 16;
    if (size > largest_matrix / count / extent) return spell_as_pads(out);
    const Shape weights_shape({count, size, extent});
    std::vector<double> weights(static_cast<std::size_t>(weights_shape.volume()), 0.0);
    for (Extent w = 0; w < count; ++w) {
      for (Extent k = 0; k < size; ++k) {
        weights[static_cast<std::size_t>((w * size + k) * extent + w * step + k * dilation)] = 1.0;
      }
    }
    const std::string matrix = out.dense_constant("_weights", weights_shape, weights);
    const bool trailing = axis + 1 == out.result_shape().rank();
    const Shape joined_shape =
        out.result_shape().without_axis(axis).with_axis(out.result_shape().rank() - 1, extent);
    const std::string joined = out.product(trailing ? "" : "_joined", out.operand(0), out.shape(0), matrix,
                                           weights_shape, {}, {axis, axis + 1}, {0, 1}, joined_shape);
    if (trailing) return;
    std::vector<Axis> home;
    home.reserve(static_cast<std::size_t>(out.result_shape().rank()));
    for (Axis a = 0; a < out.result_shape().rank(); ++a) {
      home.push_back(a < axis ? a : a == axis ? out.result_shape().rank() - 1 : a - 1);
    }
    out.transpose("", joined, joined_shape, home);
  }

 private:
  /// The sum over the window's lanes of each lane spread over the extent.
  template <class Writer>
  void spell_as_pads(Writer& out) const {
    const Shape& windows = out.shape(0);
    const auto at = static_cast<std::size_t>(axis);
    const std::string zero = out.splat("_zero", Shape(), out.zero());
    const Shape lane_shape = windows.with_extent(axis + 1, 1);
    const Shape line_shape = windows.without_axis(axis + 1);
    std::vector<Extent> low(static_cast<std::size_t>(line_shape.rank()), 0), high = low, interior = low;
    interior[at] = step - 1;
    std::string total;
    for (Extent k = 0; k < size; ++k) {
      std::string ranges;
      for (Axis a = 0; a < windows.rank(); ++a) {
        if (a > 0) ranges += ", ";
        ranges += a == axis + 1 ? fmt::format("{}:{}", k, k + 1) : fmt::format("0:{}", windows[a]);
      }
      const std::string lane = out.define(fmt::format("_lane{}", k),
                                          fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", out.operand(0),
                                                      ranges, out.type(windows), out.type(lane_shape)));
      const std::string line = out.reshape(fmt::format("_line{}", k), lane, lane_shape, line_shape);
      low[at] = k * dilation;
      high[at] = extent - low[at] - ((windows[axis] - 1) * step + 1);
      const std::string spread =
          out.define(size == 1 ? "" : fmt::format("_spread{}", k),
                     fmt::format("stablehlo.pad {}, {}, low = {}, high = {}, interior = {} : ({}, {}) -> {}",
                                 line, zero, describe(low), describe(high), describe(interior),
                                 out.type(line_shape), out.type(Shape()), out.type(out.result_shape())));
      if (size == 1) return;
      const std::string term = out.promoted(fmt::format("_spread{}", k), spread, out.result_shape());
      const std::string sum =
          fmt::format("stablehlo.add {}, {} : {}", total, term, out.accumulator_type(out.result_shape()));
      total = k == 0          ? term
              : k + 1 == size ? out.define_rounded("", "_accumulated", sum, out.result_shape())
                              : out.define(fmt::format("_sum{}", k), sum);
    }
  }
};

}  // namespace topos
