// Elementwise loops. A tensor that repeats one element is computed once.
#pragma once

#include "topos/tensor/tensor.hpp"

namespace topos::reference {

/// function(x_i) for each element; of two tensors of one shape, function(x_i, y_i).
template <class E, class Function>
Tensor<E> map(const Tensor<E>& x, Function function) {
  const bool uniform = x.is_uniform();
  const Elements<E> in = uniform ? x.narrowed_to_one().elements() : x.elements();
  if (uniform) return Tensor<E>::filled(x.shape(), function(in[0]));
  std::vector<E> out(in.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(in[i]);
  return Tensor<E>(x.shape(), std::move(out));
}

template <class E, class Function>
Tensor<E> map(const Tensor<E>& x, const Tensor<E>& y, Function function) {
  const bool uniform = x.is_uniform() && y.is_uniform();
  const Elements<E> left = uniform ? x.narrowed_to_one().elements() : x.elements();
  const Elements<E> right = uniform ? y.narrowed_to_one().elements() : y.elements();
  if (uniform) return Tensor<E>::filled(x.shape(), function(left[0], right[0]));
  std::vector<E> out(left.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(left[i], right[i]);
  return Tensor<E>(x.shape(), std::move(out));
}

}  // namespace topos::reference
