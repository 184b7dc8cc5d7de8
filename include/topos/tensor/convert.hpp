// A tensor's elements in another element type.
#pragma once

#include "topos/base/float_environment.hpp"
#include "topos/tensor/tensor.hpp"

namespace topos {

/// Every element as the nearest To, rounded once; infinities and NaNs stay what they are. What repeats one
/// element still does, and a selection stays one.
template <class To, class From>
Tensor<To> convert(const Tensor<From>& x) {
  const DefaultFloatEnvironment environment;
  if (const Selection* selection = x.as_selection())
    return Tensor<To>::selection(selection->indices, selection->classes);
  if (x.is_uniform())
    return Tensor<To>::filled(x.shape(), static_cast<To>(x.narrowed_to_one().elements()[0]));
  const Elements<From> elements = x.elements();
  std::vector<To> converted;
  converted.reserve(elements.size());
  for (const From& element : elements) converted.push_back(static_cast<To>(element));
  return Tensor<To>(x.shape(), std::move(converted));
}

}  // namespace topos
