// A multilayer perceptron.
#pragma once

#include "topos/nn/activation.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/nn/linear.hpp"

namespace topos {

/// Linear layers of widths sizes[0], sizes[1], ..., with an activation between them and none after the last.
/// Paths: "0.weights", "0.bias", "1.weights", ...
template <class E>
class Mlp : public Module<E> {
 public:
  /// `initial` is asked, layer by layer, for the weights and then the bias. Throws UsageError for less than
  /// two sizes.
  template <Initializer Initial>
  Mlp(Tape<E>& tape, const std::vector<Extent>& sizes, Activation activation, Initial&& initial,
      const Where& where = Where::current())
      : activation_(activation) {
    if (sizes.size() < 2) {
      throw UsageError(fmt::format("[Mlp] at least two sizes are needed; got {}; recorded at {}",
                                   describe(std::span<const Extent>(sizes)), describe(where)));
    }
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
      Tensor<E> weights = initial.template tensor<E>(Shape({sizes[i], sizes[i + 1]}));
      Tensor<E> bias = initial.template tensor<E>(Shape({sizes[i + 1]}));
      layers_.emplace_back(tape, std::move(weights), std::move(bias), where);
    }
  }

  /// From the input to the output.
  const std::vector<Linear<E>>& layers() const { return layers_; }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    Value<E> x = layers_[0].express(input, where);
    for (std::size_t i = 1; i < layers_.size(); ++i)
      x = layers_[i].express(activate(activation_, x, where), where);
    return x;
  }
  void visit(Visitor& visitor) const override {
    for (std::size_t i = 0; i < layers_.size(); ++i) visit_inside(visitor, std::to_string(i), layers_[i]);
  }

 private:
  Activation activation_;
  std::vector<Linear<E>> layers_;
};

}  // namespace topos
