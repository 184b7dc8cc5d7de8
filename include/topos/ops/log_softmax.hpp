// Logarithms of the softmax probabilities along one axis.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos {

struct LogSoftmax : OperationDefaults {
  // What log_softmax() is given.
  Axis axis = 0;

  explicit LogSoftmax(Axis along) : axis(along) {}
  using Attributes = TypeList<Axis>;
  static constexpr std::string_view name = "LogSoftmax";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::output;
  static constexpr bool rounds_inside = true;
  std::vector<Field> fields() const { return {{"axis", axis}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    return in[0];
  }
  // (x - max) - log(sum(exp(x - max))): the shift is subtracted from x, never added back, so nothing cancels.
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    const reference::AroundAxis around(shape, axis);
    const Elements<E> x = in[0].elements();
    std::vector<E> out(x.size());
    for (Extent o = 0; o < around.outer && around.extent > 0; ++o) {
      for (Extent k = 0; k < around.inner; ++k) {
        const Extent first = o * around.extent * around.inner + k;
        const E peak = reference::maximum(x.data() + first, around.extent, around.inner);
        const E total = reference::log_sum_exp_shifted(x.data() + first, around.extent, around.inner, peak);
        for (Extent i = 0; i < around.extent; ++i) {
          const auto at = static_cast<std::size_t>(first + i * around.inner);
          out[at] = (x[at] - peak) - total;
        }
      }
    }
    return Tensor<E>(shape, std::move(out));
  }
  // d log p_i = dx_i - sum_j p_j dx_j
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R total = sum_along(at.cotangent, axis);
    const R spread = broadcast_along(total, axis, at.operand().shape()[axis]);
    const R probabilities = exp(at.output);
    const R expected = multiply(probabilities, spread);
    return {subtract(at.cotangent, expected)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const Shape& shape = out.shape(0);
    const Shape reduced = shape.without_axis(axis);
    const std::vector<Axis> kept = out.axes_without(shape, axis);
    const std::string low = out.splat("_low", Shape(), out.negative_infinity());
    const std::string peak = out.reduce("_peak", "stablehlo.maximum", out.operand(0), shape, low, {axis});
    const std::string spread = out.broadcast_in_dim("_spread_peak", peak, reduced, kept, shape);
    const std::string centered = out.define(
        "_centered", fmt::format("stablehlo.subtract {}, {} : {}", out.operand(0), spread, out.type(shape)));
    const std::string exponentials =
        out.define("_exp", fmt::format("stablehlo.exponential {} : {}", centered, out.type(shape)));
    const std::string total = out.sum("_total", exponentials, shape, {axis});
    const std::string normalizer =
        out.define("_normalizer", fmt::format("stablehlo.log {} : {}", total, out.type(reduced)));
    const std::string spread_normalizer =
        out.broadcast_in_dim("_spread_normalizer", normalizer, reduced, kept, shape);
    out.define("",
               fmt::format("stablehlo.subtract {}, {} : {}", centered, spread_normalizer, out.type(shape)));
  }
};

}  // namespace topos
