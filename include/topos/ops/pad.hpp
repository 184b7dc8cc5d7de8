// Zeros around the operand along one axis.
#pragma once

#include <fmt/format.h>

#include "topos/ops/functions.hpp"
#include "topos/tensor/reference/window.hpp"

namespace topos {

struct Pad : OperationDefaults {
  // What pad() is given.
  Axis axis = 0;
  Extent start = 0;
  Extent full_extent = 0;

  Pad(Axis along, Extent from, Extent extent) : axis(along), start(from), full_extent(extent) {}
  using Attributes = TypeList<Axis, Extent, Extent>;
  static constexpr std::string_view name = "Pad";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::nothing;
  std::vector<Field> fields() const {
    return {{"axis", axis}, {"start", start}, {"full_extent", full_extent}};
  }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].has_axis(axis), "C1: the axis must be an axis of the operand");
    in.require(start >= 0 && in[0][axis] <= full_extent && start <= full_extent - in[0][axis],
               "C2: start and start + extent must lie in the full extent");
    return in[0].with_extent(axis, full_extent);
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape& shape) const {
    return reference::pad(in[0], axis, start, shape);
  }
  // The zeros are constants: the cotangent of the operand is its own part.
  template <class R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    return {narrow(at.cotangent, axis, start, at.operand().shape()[axis])};
  }
  template <class Writer>
  void spell(Writer& out) const {
    const std::size_t rank = static_cast<std::size_t>(out.shape(0).rank());
    std::vector<Extent> low(rank, 0), high(rank, 0), interior(rank, 0);
    low[static_cast<std::size_t>(axis)] = start;
    high[static_cast<std::size_t>(axis)] = full_extent - start - out.shape(0)[axis];
    const std::string zero = out.splat("_zero", Shape(), out.zero());
    out.define("", fmt::format("stablehlo.pad {}, {}, low = {}, high = {}, interior = {} : ({}, {}) -> {}",
                               out.operand(0), zero, describe(low), describe(high), describe(interior),
                               out.type(out.shape(0)), out.type(Shape()), out.type(out.result_shape())));
  }
};

}  // namespace topos
