// Padding and folding: where elements land, and in which order those that land together add.
#pragma once

#include "topos/tensor/reference/reduce.hpp"

namespace topos::reference {

/// `x` at start … along `axis` of a tensor of `full_extent`, zero elsewhere.
template <class E>
Tensor<E> pad(const Tensor<E>& x, Axis axis, Extent start, Shape shape) {
  const AroundAxis from(x.shape(), axis);
  const AroundAxis to(shape, axis);
  const Elements<E> in = x.elements();
  std::vector<E> out(static_cast<std::size_t>(shape.volume()), ElementTraits<E>::from_double(0.0));
  for (Extent o = 0; o < from.outer; ++o) {
    const E* source = in.data() + o * from.extent * from.inner;
    std::copy(source, source + from.extent * from.inner, out.begin() + (o * to.extent + start) * to.inner);
  }
  return Tensor<E>(std::move(shape), std::move(out));
}

/// The adjoint of unfold: windows (count, size) at axis, axis + 1 add into `extent` positions, window by
/// window and then along the window, each position from +0.
template <class E>
Tensor<E> fold(const Tensor<E>& x, Axis axis, Extent step, Extent dilation, Shape shape) {
  const AroundAxis windows(x.shape(), axis);
  const AroundAxis window(x.shape(), axis + 1);
  const AroundAxis to(shape, axis);
  const Elements<E> in = x.elements();
  std::vector<E> out(static_cast<std::size_t>(shape.volume()), ElementTraits<E>::from_double(0.0));
  const E* source = in.data();
  for (Extent o = 0; o < windows.outer; ++o) {
    for (Extent w = 0; w < windows.extent; ++w) {
      for (Extent k = 0; k < window.extent; ++k) {
        E* target = out.data() + (o * to.extent + w * step + k * dilation) * to.inner;
        for (Extent i = 0; i < to.inner; ++i) target[i] = target[i] + *source++;
      }
    }
  }
  return Tensor<E>(std::move(shape), std::move(out));
}

}  // namespace topos::reference
