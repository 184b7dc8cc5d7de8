#include "topos/nn/initialize.hpp"

#include <fmt/format.h>

#include <numbers>

#include "nn/msun.hpp"
#include "topos/base/error.hpp"

namespace topos {
namespace {

template <class E, class Draw>
Tensor<E> drawn(const Shape& shape, Draw draw) {
  std::vector<E> elements(static_cast<std::size_t>(shape.volume()));
  for (E& element : elements) element = static_cast<E>(draw());
  return Tensor<E>(shape, std::move(elements));
}

/// True for a bias [columns], false for weights [rows, columns].
bool is_bias(const Shape& shape, std::string_view initializer) {
  if (shape.rank() == 1 || shape.rank() == 2) return shape.rank() == 1;
  throw UsageError(fmt::format("{} initializes weights [rows, columns] and biases [columns]; got {}",
                               initializer, describe(shape)));
}

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double SplitMix64::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double SplitMix64::normal() {
  const double radius = std::sqrt(-2.0 * detail::msun::log(1.0 - unit()));
  return radius * detail::msun::cos(2.0 * std::numbers::pi * unit());
}

template <class E>
Tensor<E> Uniform::tensor(const Shape& shape) {
  return drawn<E>(shape, [&] { return (2.0 * random_.unit() - 1.0) * scale_; });
}

template <class E>
Tensor<E> Normal::tensor(const Shape& shape) {
  return drawn<E>(shape, [&] { return random_.normal() * deviation_; });
}

DropoutMask::DropoutMask(std::uint64_t seed, double keep) : random_(seed), keep_(keep) {
  if (keep > 0.0 && keep <= 1.0) return;
  throw UsageError(fmt::format("a dropout mask keeps a share above 0 and at most 1; got {}", keep));
}

template <class E>
Tensor<E> DropoutMask::tensor(const Shape& shape) {
  return drawn<E>(shape, [&] { return random_.unit() < keep_ ? 1.0 / keep_ : 0.0; });
}

template <class E>
Tensor<E> Xavier::tensor(const Shape& shape) {
  if (is_bias(shape, "xavier")) return Tensor<E>::filled(shape, E(0));
  const double bound = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
  return drawn<E>(shape, [&] { return (2.0 * random_.unit() - 1.0) * bound; });
}

template <class E>
Tensor<E> Kaiming::tensor(const Shape& shape) {
  if (is_bias(shape, "kaiming")) return Tensor<E>::filled(shape, E(0));
  const double deviation = std::sqrt(2.0 / static_cast<double>(shape[0]));
  return drawn<E>(shape, [&] { return random_.normal() * deviation; });
}

template <class E>
Tensor<E> Scaled::tensor(const Shape& shape) {
  if (is_bias(shape, "scaled")) return Tensor<E>::filled(shape, E(0));
  const double deviation = gain_ / std::sqrt(static_cast<double>(shape[0]));
  return drawn<E>(shape, [&] { return random_.normal() * deviation; });
}

template Tensor<float> Uniform::tensor(const Shape&);
template Tensor<double> Uniform::tensor(const Shape&);
template Tensor<float> Normal::tensor(const Shape&);
template Tensor<double> Normal::tensor(const Shape&);
template Tensor<float> DropoutMask::tensor(const Shape&);
template Tensor<double> DropoutMask::tensor(const Shape&);
template Tensor<float> Xavier::tensor(const Shape&);
template Tensor<double> Xavier::tensor(const Shape&);
template Tensor<float> Kaiming::tensor(const Shape&);
template Tensor<double> Kaiming::tensor(const Shape&);
template Tensor<float> Scaled::tensor(const Shape&);
template Tensor<double> Scaled::tensor(const Shape&);

}  // namespace topos
