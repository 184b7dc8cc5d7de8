// Initial values: the same draws on every machine.
#pragma once

#include <cstdint>

#include "topos/tensor/tensor.hpp"

namespace topos {

/// splitmix64 (Steele, Lea and Flood, 2014): one 64-bit draw a step, from any seed.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double unit();
  /// Standard normal by Box and Muller's cosine half: sqrt(-2 ln(1 - u1)) cos(2 pi u2), two draws.
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

/// Glorot and Bengio's uniform initializer for weights [rows, columns]: (2u - 1) sqrt(6 / (rows + columns)).
/// Rank 1 (a bias) is zeros and draws nothing. Other ranks throw UsageError.
class Xavier {
 public:
  explicit Xavier(std::uint64_t seed) : random_(seed) {}
  template <class E>
  Tensor<E> tensor(const Shape& shape);

 private:
  SplitMix64 random_;
};

}  // namespace topos
