// Rotary position embedding (Su et al., RoFormer, 2021).
#pragma once

#include <vector>

#include "topos/composites/axes.hpp"
#include "topos/element/math.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// Which two elements of a row turn together.
enum class RotaryPairs {
  interleaved,  ///< 2i and 2i + 1: RoFormer, GPT-J, Meta's own Llama code
  halves,       ///< i and i + width / 2: GPT-NeoX, and Llama as Hugging Face stores it
};

/// Cosines and sines of the angles, each [positions, width / 2].
template <class E>
struct RotaryTables {
  Tensor<E> cosines;
  Tensor<E> sines;
};

/// The angles (first + row) base^(-2 i / width), in f64, their functions rounded once to the element. Throws
/// UsageError for an odd width.
template <class E>
RotaryTables<E> rotary_tables(Extent first, Extent positions, Extent width, double base = 10000.0) {
  if (width < 0 || width % 2 != 0) {
    throw UsageError(fmt::format("rotary positions turn pairs: the width must be even; got {}", width));
  }
  std::vector<E> cosines, sines;
  for (Extent row = 0; row < positions; ++row) {
    for (Extent i = 0; i < width / 2; ++i) {
      const double frequency = math::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
      const double angle = static_cast<double>(first + row) * frequency;
      cosines.push_back(ElementTraits<E>::from_double(math::cos(angle)));
      sines.push_back(ElementTraits<E>::from_double(math::sin(angle)));
    }
  }
  const Shape shape({positions, width / 2});
  return {Tensor<E>(shape, std::move(cosines)), Tensor<E>(shape, std::move(sines))};
}

/// Each pair (a, b) of a row of x [..., positions, width] turned: (a cos - b sin, a sin + b cos). Cosines and
/// sines are [positions, width / 2].
template <Recordable R>
R rotary(const R& x, const R& cosines, const R& sines, RotaryPairs pairs,
         const Where& where = Where::current()) {
  const Shape shape = shape_of(x, where);
  const Axis last = shape.rank() - 1;
  detail::require(shape.rank() >= 2 && shape[last] % 2 == 0 &&
                      shape_of(cosines, where) == Shape({shape[last - 1], shape[last] / 2}) &&
                      shape_of(sines, where) == shape_of(cosines, where),
                  "rotary", "the input must be [..., positions, width] and the tables [positions, width / 2]",
                  {shape, shape_of(cosines, where), shape_of(sines, where)}, where);
  const Shape half = shape.with_extent(last, shape[last] / 2);
  const Axis pair = pairs == RotaryPairs::halves ? last : last + 1;  // the axis of extent 2
  const R lanes = reshape(x, half.with_axis(pair, 2), where);
  const R a = squeeze(narrow(lanes, pair, 0, 1, where), pair, where);
  const R b = squeeze(narrow(lanes, pair, 1, 1, where), pair, where);
  const R cosine = broadcast_to(cosines, half, where);
  const R sine = broadcast_to(sines, half, where);
  const R a_cosine = multiply(a, cosine, where);
  const R b_sine = multiply(b, sine, where);
  const R turned_a = subtract(a_cosine, b_sine, where);
  const R a_sine = multiply(a, sine, where);
  const R b_cosine = multiply(b, cosine, where);
  const R turned_b = add(a_sine, b_cosine, where);
  return reshape(stack(std::vector<R>{turned_a, turned_b}, pair, where), shape, where);
}

}  // namespace topos
