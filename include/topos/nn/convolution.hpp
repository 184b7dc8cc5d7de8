// Convolution with weights of its own.
#pragma once

#include "topos/composites/convolution.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// How a convolution's windows lie, the same along height and width; see conv2d.
struct ConvolutionOptions {
  Extent stride = 1;    ///< from window to window
  Extent padding = 0;   ///< zeros on each side of the input
  Extent dilation = 1;  ///< between the elements of a window
  Extent groups = 1;    ///< of channels, and as many of filters
};

/// conv2d of x [batch, channels, h, w] with weights [filters, channels / groups, kh, kw] and bias [filters]:
/// [batch, filters, oh, ow]. Parameters, in recording order: weights, bias.
template <class E>
class Conv2d : public Module<E> {
 public:
  /// Throws ShapeError for weights, bias or options that fit no input.
  Conv2d(Tape<E>& tape, Tensor<E> weights, Tensor<E> bias, const ConvolutionOptions& options = {},
         const Where& where = Where::current())
      : Conv2d(checked(weights, bias, options, where), tape, std::move(weights), std::move(bias), where) {}

  const Symbol& weights() const { return weights_; }
  const Symbol& bias() const { return bias_; }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    const Value<E> weights = detail::beside(input, weights_, where);
    const Value<E> bias = detail::beside(input, bias_, where);
    return conv2d(input, weights, bias, options_.stride, options_.padding, options_.dilation, options_.groups,
                  where);
  }
  void visit(Visitor& visitor) const override {
    visitor.parameter("weights", weights_);
    visitor.parameter("bias", bias_);
  }

 private:
  Conv2d(const ConvolutionOptions& options, Tape<E>& tape, Tensor<E> weights, Tensor<E> bias,
         const Where& where)
      : weights_(tape.parameter(std::move(weights), where)),
        bias_(tape.parameter(std::move(bias), where)),
        options_(options) {}

  static ConvolutionOptions checked(const Tensor<E>& weights, const Tensor<E>& bias,
                                    const ConvolutionOptions& options, const Where& where) {
    detail::require_kernel(weights.shape(), bias.shape(), options.stride, options.padding, options.dilation,
                           options.groups, "Conv2d", where);
    return options;
  }

  Symbol weights_;
  Symbol bias_;
  ConvolutionOptions options_;
};

}  // namespace topos
