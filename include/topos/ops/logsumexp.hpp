// The logarithm of a sum of exponentials along one axis.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos {

struct LogSumExp : OperationDefaults {
  // What logsumexp() is given.
  Axis axis = 0;

  explicit LogSumExp(Axis along) : axis(along) {}
  using Attributes = TypeList<Axis>;
  static constexpr std::string_view name = "LogSumExp";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::left | Reads::output;
  static constexpr bool rounds_inside = true;
  std::vector<Field> fields() const { return {{"axis", axis}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    return in[0].without_axis(axis);
  }
  // shift + log(sum(exp(x - shift))); the shift is the maximum, or 0 where that is infinite or NaN, so a line
  // of -infinity gives -infinity and a line with +infinity gives +infinity.
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::reduce_along(in[0], axis, [](const E* line, Extent count, Extent stride) {
      const E peak = reference::maximum(line, count, stride);
      const E shift = ElementTraits<E>::is_finite(peak) ? peak : ElementTraits<E>::from_double(0.0);
      return E(shift + reference::log_sum_exp_shifted(line, count, stride, shift));
    });
  }
  // d logsumexp(x) = sum_i exp(x_i - logsumexp(x)) dx_i, with the result raised to the lowest finite number:
  // a line of -infinity then has zero weights instead of exp(-infinity + infinity).
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const Extent extent = at.operand().shape()[axis];
    const R lowest = at.output.lowest_finite(at.output.shape());
    const R bounded = maximum(at.output, lowest);
    const R spread = broadcast_along(bounded, axis, extent);
    const R centered = subtract(at.operand(), spread);
    const R weights = exp(centered);
    const R cotangent = broadcast_along(at.cotangent, axis, extent);
    return {multiply(cotangent, weights)};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const Shape& shape = out.shape(0);
    const Shape& reduced = out.result_shape();
    const std::string low = out.splat("_low", Shape(), out.negative_infinity());
    const std::string peak = out.reduce("_peak", "stablehlo.maximum", out.operand(0), shape, low, {axis});
    const std::string finite =
        out.define("_finite", fmt::format("stablehlo.is_finite {} : ({}) -> {}", peak, out.type(reduced),
                                          out.predicate_type(reduced)));
    const std::string zeros = out.splat("_zeros", reduced, out.zero());
    const std::string shift =
        out.define("_shift", fmt::format("stablehlo.select {}, {}, {} : {}, {}", finite, peak, zeros,
                                         out.predicate_type(reduced), out.type(reduced)));
    const std::string spread =
        out.broadcast_in_dim("_spread_peak", shift, reduced, out.axes_without(shape, axis), shape);
    const std::string centered = out.define(
        "_centered", fmt::format("stablehlo.subtract {}, {} : {}", out.operand(0), spread, out.type(shape)));
    const std::string exponentials =
        out.define("_exp", fmt::format("stablehlo.exponential {} : {}", centered, out.type(shape)));
    const std::string total = out.sum("_total", exponentials, shape, {axis});
    const std::string normalizer =
        out.define("_normalizer", fmt::format("stablehlo.log {} : {}", total, out.type(reduced)));
    out.define("", fmt::format("stablehlo.add {}, {} : {}", shift, normalizer, out.type(reduced)));
  }
};

}  // namespace topos
