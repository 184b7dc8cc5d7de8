// Pools, and what leads from images to rows, as stages of a model; without parameters.
#pragma once

#include "topos/composites/pooling.hpp"
#include "topos/nn/module.hpp"

namespace topos {

/// How a pool's square windows lie.
struct PoolOptions {
  Extent size = 2;     ///< elements along height and width
  Extent stride = 2;   ///< from window to window
  Extent padding = 0;  ///< on each side of the input, size / 2 at most
};

/// max_pool of x [batch, channels, h, w].
template <class E>
class MaxPool2d : public Module<E> {
 public:
  explicit MaxPool2d(const PoolOptions& options = {}) : options_(options) {}
  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    return max_pool(input, options_.size, options_.stride, options_.padding, where);
  }
  void visit(Visitor&) const override {}

 private:
  PoolOptions options_;
};

/// average_pool of x [batch, channels, h, w].
template <class E>
class AveragePool2d : public Module<E> {
 public:
  explicit AveragePool2d(const PoolOptions& options = {}) : options_(options) {}
  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    return average_pool(input, options_.size, options_.stride, options_.padding, where);
  }
  void visit(Visitor&) const override {}

 private:
  PoolOptions options_;
};

/// The mean of each channel of x [batch, channels, h, w]: [batch, channels].
template <class E>
class GlobalAveragePool : public Module<E> {
 public:
  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    return global_average_pool(input, where);
  }
  void visit(Visitor&) const override {}
};

/// x [batch, ...] as rows [batch, rest].
template <class E>
class Flatten : public Module<E> {
 public:
  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    const Shape shape = input.shape(where);
    detail::require(shape.rank() >= 1, "Flatten", "the input must be [batch, ...]", {shape}, where);
    Extent rest = 1;
    for (Axis axis = 1; axis < shape.rank(); ++axis) rest *= shape[axis];
    return reshape(input, Shape({shape[0], rest}), where);
  }
  void visit(Visitor&) const override {}
};

}  // namespace topos
