// Batch normalization.
#pragma once

#include "topos/composites/normalization.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// (x - mean) / sqrt(variance + epsilon) scale + shift over each feature of x [batch, features], or of
/// [batch, features, ...], whose further axes count as rows. Not a Module: training answers the statistics,
/// too, and inference needs them given. nn/running_statistics.hpp keeps them.
/// Parameters, in recording order: scale, shift; then epsilon, a leaf.
template <class E>
class BatchNorm : public Parameterized {
 public:
  /// Throws ShapeError unless scale and shift are both [features].
  BatchNorm(Tape<E>& tape, Tensor<E> scale, Tensor<E> shift, E epsilon, const Where& where = Where::current())
      : BatchNorm(checked(scale, shift, where), tape, std::move(scale), std::move(shift), epsilon, where) {}

  const Symbol& scale() const { return scale_; }
  const Symbol& shift() const { return shift_; }

  /// For training: by the batch's own statistics, which are answered. A batch of one row has variance 0.
  Normalization<Value<E>> express(const Value<E>& input, const Where& where = Where::current()) const {
    const Constants at = constants(input, where);
    const Value<E> x = as_rows(input, where);
    Normalization<Value<E>> result = batch_norm(x, at.scale, at.shift, at.epsilon, where);
    result.output = restored(result.output, input, where);
    return result;
  }

  /// For inference: by given statistics [features], values or symbols of the input's tape.
  Value<E> express_with(const Value<E>& input, const Symbol& mean, const Symbol& variance,
                        const Where& where = Where::current()) const {
    const Constants at = constants(input, where);
    const Value<E> means = detail::beside(input, mean, where);
    const Value<E> variances = detail::beside(input, variance, where);
    const Shape features({features_});
    detail::require(means.shape(where) == features && variances.shape(where) == features, "BatchNorm",
                    fmt::format("mean and variance must both be {}", describe(features)),
                    {means.shape(where), variances.shape(where)}, where);
    const Value<E> x = as_rows(input, where);
    return restored(batch_norm_with(x, means, variances, at.scale, at.shift, at.epsilon, where), input,
                    where);
  }

  void visit(Visitor& visitor) const override {
    visitor.parameter("scale", scale_);
    visitor.parameter("shift", shift_);
  }

 private:
  struct Constants {
    Value<E> scale, shift, epsilon;
  };

  BatchNorm(Extent features, Tape<E>& tape, Tensor<E> scale, Tensor<E> shift, E epsilon, const Where& where)
      : scale_(tape.parameter(std::move(scale), where)),
        shift_(tape.parameter(std::move(shift), where)),
        epsilon_(tape.leaf(Tensor<E>(epsilon), where)),
        features_(features) {}

  static Extent checked(const Tensor<E>& scale, const Tensor<E>& shift, const Where& where) {
    detail::require(scale.rank() == 1 && shift.shape() == scale.shape(), "BatchNorm",
                    "scale and shift must both be [features]", {scale.shape(), shift.shape()}, where);
    return scale.shape()[0];
  }

  Constants constants(const Value<E>& input, const Where& where) const {
    const Shape shape = input.shape(where);
    detail::require(shape.rank() >= 2 && shape[1] == features_, "BatchNorm",
                    fmt::format("the input must be [batch, {}], or have axes after these", features_),
                    {shape}, where);
    return {detail::beside(input, scale_, where), detail::beside(input, shift_, where),
            detail::beside(input, epsilon_, where)};
  }

  // [batch, features, ...] as [rows, features], and back.
  Value<E> as_rows(const Value<E>& input, const Where& where) const {
    const Shape shape = input.shape(where);
    if (shape.rank() == 2) return input;
    std::vector<Axis> features_last{0};
    Extent rows = shape[0];
    for (Axis axis = 2; axis < shape.rank(); ++axis) {
      features_last.push_back(axis);
      rows *= shape[axis];
    }
    features_last.push_back(1);
    return reshape(permute(input, features_last, where), Shape({rows, features_}), where);
  }
  Value<E> restored(const Value<E>& rows, const Value<E>& input, const Where& where) const {
    const Shape shape = input.shape(where);
    if (shape.rank() == 2) return rows;
    const Shape features_last = shape.without_axis(1).with_axis(shape.rank() - 1, features_);
    std::vector<Axis> order{0, shape.rank() - 1};
    for (Axis axis = 1; axis + 1 < shape.rank(); ++axis) order.push_back(axis);
    return permute(reshape(rows, features_last, where), order, where);
  }

  Symbol scale_;
  Symbol shift_;
  Symbol epsilon_;
  Extent features_;
};

}  // namespace topos
