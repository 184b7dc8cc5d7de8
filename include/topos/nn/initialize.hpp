// Initial values: the same draws on every machine.
#pragma once

#include <concepts>
#include <cstdint>

#include "topos/tensor/tensor.hpp"

namespace topos {

/// What draws a model's initial values: tensor<E>(shape) is its next one.
template <class I>
concept Initializer = requires(I& initial, const Shape& shape) {
  { initial.template tensor<float>(shape) } -> std::same_as<Tensor<float>>;
};

/// splitmix64 (Steele, Lea and Flood, 2014): one 64-bit draw a step, from any seed.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  /// The next 64 bits.
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double unit();
  /// Standard normal by Box and Muller's cosine half: sqrt(-2 ln(1 - u1)) cos(2 pi u2), two draws. ln and
  /// cos are fixed sequences of IEEE operations, those of FreeBSD's msun.
  double normal();

 private:
  std::uint64_t state_;
};

/// Successive tensors of uniform draws (2u - 1) scale, row-major, each rounded once to the element.
class Uniform {
 public:
  Uniform(std::uint64_t seed, double scale) : random_(seed), scale_(scale) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
  double scale_;
};

/// Successive tensors of normal draws times `deviation`.
class Normal {
 public:
  Normal(std::uint64_t seed, double deviation) : random_(seed), deviation_(deviation) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
  double deviation_;
};

/// Successive masks of inverted dropout (Srivastava et al., 2014): 1 / keep where a draw is below `keep`,
/// else 0.
class DropoutMask {
 public:
  /// Throws UsageError unless 0 < keep <= 1.
  DropoutMask(std::uint64_t seed, double keep);
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
  double keep_;
};

// The initializers below are for weights [rows, columns]. Rank 1, a bias, is zeros and draws nothing; other
// ranks throw UsageError.

/// Glorot and Bengio's uniform initializer (2010): (2u - 1) sqrt(6 / (rows + columns)).
class Xavier {
 public:
  explicit Xavier(std::uint64_t seed) : random_(seed) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
};

/// He et al.'s normal initializer (2015): n sqrt(2 / rows), for layers that a relu follows.
class Kaiming {
 public:
  explicit Kaiming(std::uint64_t seed) : random_(seed) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
};

/// Normal draws that keep a layer's variance up to the gain of its activation: n gain / sqrt(rows), with a
/// gain of 5/3 for tanh and sqrt(2) for relu.
class Scaled {
 public:
  Scaled(std::uint64_t seed, double gain) : random_(seed), gain_(gain) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
  double gain_;
};

}  // namespace topos
