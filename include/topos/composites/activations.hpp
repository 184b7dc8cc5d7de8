// Activations, each a plain composition of operations.
#pragma once

#include "topos/ops/functions.hpp"

namespace topos {

/// |x| = maximum(x, -x). At 0 the derivative is -1: a tie goes to the right operand.
template <Recordable R>
R abs(const R& x, const Where& where = Where::current()) {
  const R negated = negate(x, where);
  return maximum(x, negated, where);
}

/// maximum(x, 0). At 0 the derivative is 0.
template <Recordable R>
R relu(const R& x, const Where& where = Where::current()) {
  const R zeros = x.constant(shape_of(x, where), 0.0);
  return maximum(x, zeros, where);
}

/// ln(1 + e^x) as relu(x) + ln(1 + e^-|x|), which does not overflow.
template <Recordable R>
R softplus(const R& x, const Where& where = Where::current()) {
  const R positive = relu(x, where);
  const R magnitude = abs(x, where);
  const R decay = exp(negate(magnitude, where), where);
  return add(positive, log1p(decay, where), where);
}

/// x (1 + erf(x / sqrt(2))) / 2, the exact form.
template <Recordable R>
R gelu(const R& x, const Where& where = Where::current()) {
  const R ones = x.constant(shape_of(x, where), 1.0);
  const R twos = x.constant(shape_of(x, where), 2.0);
  const R scaled = divide(x, sqrt(twos, where), where);
  const R gate = add(ones, erf(scaled, where), where);
  return divide(multiply(x, gate, where), twos, where);
}

/// e^x_i / sum_j e^x_j along `axis`, through log_softmax.
template <Recordable R>
R softmax(const R& x, Axis axis, const Where& where = Where::current()) {
  return exp(log_softmax(x, axis, where), where);
}

}  // namespace topos
