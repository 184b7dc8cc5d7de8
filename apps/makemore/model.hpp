// The name model: an embedding, a hidden tanh layer and a cross-entropy over the next character.
#pragma once

#include <span>

#include "corpus.hpp"
#include "topos/topos.hpp"

namespace makemore {

using namespace topos;

inline constexpr Extent embedding_width = 10;
inline constexpr Extent hidden_width = 100;

/// Embeddings, hidden weights and bias, output weights and bias, as `seed` draws them.
std::vector<Tensor<float>> initial_parameters(std::uint64_t seed);

/// One training step as a function: parameters and a batch to the loss and its five gradients.
template <class E>
struct TrainingStep {
  Network<E> network;
  Symbol contexts;
  Symbol targets;
  Adjoints adjoints;
  std::size_t forward_nodes;
  Plan<E> plan;
};

/// Records, differentiates and lowers the step for batches of `rows`. E is the element it computes in; the
/// initial values are rounded to it from f32.
template <class E>
TrainingStep<E> record_training_step(const std::vector<Tensor<float>>& initial, Extent rows);

/// The tensor's elements in another element type.
template <class To, class From>
Tensor<To> converted(const Tensor<From>& tensor) {
  const Elements<From> elements = tensor.elements();
  return Tensor<To>(tensor.shape(), std::vector<To>(elements.begin(), elements.end()));
}

/// A batch as the two selections that the step is fed with.
template <class E>
struct Batch {
  Tensor<E> contexts;  ///< [rows * context, vocabulary]
  Tensor<E> targets;   ///< [rows, vocabulary]
};
template <class E>
Batch<E> make_batch(std::span<const Sample> samples);

/// `count` names drawn character by character from the model's probabilities.
std::vector<std::string> sample_names(const std::vector<Tensor<float>>& parameters, int count,
                                      std::uint64_t seed);

}  // namespace makemore
