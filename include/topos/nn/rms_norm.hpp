// Root-mean-square normalization.
#pragma once

#include "topos/composites/normalization.hpp"
#include "topos/nn/module.hpp"
#include "topos/nn/rows.hpp"

namespace topos {

/// x / sqrt(mean(x^2) + epsilon) scale over each row of x [rows, features], or [..., features].
/// Parameter: scale; then epsilon, a leaf.
template <class E>
class RmsNorm : public Module<E> {
 public:
  /// Throws ShapeError unless scale is [features].
  RmsNorm(Tape<E>& tape, Tensor<E> scale, E epsilon, const Where& where = Where::current())
      : RmsNorm(checked(scale, where), tape, std::move(scale), epsilon, where) {}

  const Symbol& scale() const { return scale_; }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    detail::require_rows(input, features_, "RmsNorm", where);
    const Value<E> scale = detail::beside(input, scale_, where);
    const Value<E> epsilon = detail::beside(input, epsilon_, where);
    return detail::by_rows(input, where,
                           [&](const Value<E>& x) { return rms_norm(x, scale, epsilon, where); });
  }
  void visit(Visitor& visitor) const override { visitor.parameter("scale", scale_); }

 private:
  RmsNorm(Extent features, Tape<E>& tape, Tensor<E> scale, E epsilon, const Where& where)
      : scale_(tape.parameter(std::move(scale), where)),
        epsilon_(tape.leaf(Tensor<E>(epsilon), where)),
        features_(features) {}

  static Extent checked(const Tensor<E>& scale, const Where& where) {
    detail::require(scale.rank() == 1, "RmsNorm", "the scale must be [features]", {scale.shape()}, where);
    return scale.shape()[0];
  }

  Symbol scale_;
  Symbol epsilon_;
  Extent features_;
};

}  // namespace topos
