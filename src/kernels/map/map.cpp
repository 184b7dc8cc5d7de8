#include "kernels/map.hpp"

#include <algorithm>

#include "kernels/map/families.hpp"
#include "topos/element/bf16.hpp"
#include "topos/element/math.hpp"

namespace topos::kernels {
namespace {

/// 2/sqrt(pi) e^(-x^2) as a square, a negation, an exponential and a product, each rounded.
template <class F>
void erf_derivative(const F* x, F* out, std::size_t count) {
  constexpr std::size_t block = 512;  // stays in the first cache
  F work[block], scale[block];
  std::fill_n(scale, std::min(block, count), static_cast<F>(1.1283791670955126));
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t length = std::min(block, count - start);
    map(BinaryMap::multiply, x + start, x + start, work, length);
    map(UnaryMap::negate, work, work, length);
    map(UnaryMap::exp, work, work, length);
    map(BinaryMap::multiply, work, scale, out + start, length);
  }
}

/// The f64 functions are scalar: their sequence of operations is the definition of their bits.
template <class Function>
void by_element(Function function, const double* x, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(x[i]);
}
template <class F>
void unary(UnaryMap function, const F* x, F* out, std::size_t count) {
  switch (function) {
    case UnaryMap::exp:
      return exp(x, out, count);
    case UnaryMap::log:
      return log(x, out, count);
    case UnaryMap::tanh:
      return tanh(x, out, count);
    case UnaryMap::sin:
      return sin(x, out, count);
    case UnaryMap::cos:
      return cos(x, out, count);
    case UnaryMap::log1p:
      return log1p(x, out, count);
    case UnaryMap::expm1:
      return expm1(x, out, count);
    case UnaryMap::erf:
      return erf(x, out, count);
    case UnaryMap::erf_derivative:
      return erf_derivative(x, out, count);
    case UnaryMap::round_to_bf16:
      return round_to_bf16(x, out, count);
    case UnaryMap::negate:
    case UnaryMap::sqrt:
      return arithmetic(function, x, out, count);
  }
}

}  // namespace

void exp(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::exp(e); }, x, out, count);
}
void log(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::log(e); }, x, out, count);
}
void tanh(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::tanh(e); }, x, out, count);
}
void sin(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::sin(e); }, x, out, count);
}
void cos(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::cos(e); }, x, out, count);
}
void log1p(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::log1p(e); }, x, out, count);
}
void expm1(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::expm1(e); }, x, out, count);
}
void erf(const double* x, double* out, std::size_t count) {
  by_element([](double e) { return math::erf(e); }, x, out, count);
}
void round_to_bf16(const double* x, double* out, std::size_t count) {
  by_element([](double e) -> double { return Bf16(e); }, x, out, count);
}

template <>
void map(UnaryMap function, const float* x, float* out, std::size_t count) {
  unary(function, x, out, count);
}

template <>
void map(UnaryMap function, const double* x, double* out, std::size_t count) {
  unary(function, x, out, count);
}

template <>
void map(BinaryMap function, const float* x, const float* y, float* out, std::size_t count) {
  if (function == BinaryMap::power) return power(x, y, out, count);
  arithmetic(function, x, y, out, count);
}

template <>
void map(BinaryMap function, const double* x, const double* y, double* out, std::size_t count) {
  if (function != BinaryMap::power) return arithmetic(function, x, y, out, count);
  for (std::size_t i = 0; i < count; ++i) out[i] = math::pow(x[i], y[i]);
}

}  // namespace topos::kernels
