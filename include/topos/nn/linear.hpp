// A product with weights, plus a bias.
#pragma once

#include "topos/nn/module.hpp"
#include "topos/nn/rows.hpp"

namespace topos {

/// x weights + bias for x [rows, in], or [..., in]; weights [in, out], bias [out]: [rows, out].
/// Parameters, in recording order: weights, bias.
template <class E>
class Linear : public Module<E> {
 public:
  /// Throws ShapeError unless weights are [in, out] and bias is [out].
  Linear(Tape<E>& tape, Tensor<E> weights, Tensor<E> bias, const Where& where = Where::current())
      : Linear(checked(weights, bias, where), tape, std::move(weights), where) {
    bias_ = tape.parameter(std::move(bias), where);
  }
  /// Without a bias.
  Linear(Tape<E>& tape, Tensor<E> weights, const Where& where = Where::current())
      : Linear(checked(weights, where), tape, std::move(weights), where) {}

  const Symbol& weights() const { return weights_; }
  const std::optional<Symbol>& bias() const { return bias_; }
  Extent in() const { return shape_[0]; }
  Extent out() const { return shape_[1]; }
  /// [in, out].
  const Shape& shape() const { return shape_; }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    detail::require_rows(input, in(), "Linear", where);
    const Value<E> weights = detail::beside(input, weights_, where);
    return detail::by_rows(input, where, [&](const Value<E>& x) {
      const Value<E> product = matmul(x, weights, where);
      if (!bias_) return product;
      const Value<E> bias = broadcast_along(detail::beside(input, *bias_, where), 0, x.shape()[0], where);
      return add(product, bias, where);
    });
  }

  void visit(Visitor& visitor) const override {
    visitor.parameter("weights", weights_);
    if (bias_) visitor.parameter("bias", *bias_);
  }

 private:
  Linear(const Shape& shape, Tape<E>& tape, Tensor<E> weights, const Where& where)
      : weights_(tape.parameter(std::move(weights), where)), shape_(shape) {}

  static Shape checked(const Tensor<E>& weights, const Where& where) {
    detail::require(weights.rank() == 2, "Linear", "the weights must be [in, out]", {weights.shape()}, where);
    return weights.shape();
  }
  static Shape checked(const Tensor<E>& weights, const Tensor<E>& bias, const Where& where) {
    const Shape shape = checked(weights, where);
    detail::require(bias.shape() == Shape({shape[1]}), "Linear",
                    "the bias must be [out] for weights [in, out]", {shape, bias.shape()}, where);
    return shape;
  }

  Symbol weights_;
  std::optional<Symbol> bias_;
  Shape shape_;
};

}  // namespace topos
