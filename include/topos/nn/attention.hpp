// Attention of several heads.
#pragma once

#include "topos/composites/attention.hpp"
#include "topos/nn/linear.hpp"

namespace topos {

/// Attention of `heads` heads: queries, keys and values by three linear layers of one width, each split over
/// the heads; masked_attention with scale 1 / sqrt(width / heads); the heads merged and sent through a fourth
/// layer. Paths: "query.weights", "key.", "value.", "output.", in this order.
template <class E>
class MultiHeadAttention : public Module<E> {
 public:
  /// The layers are recorded before, in any order and with or without biases. Throws ShapeError when the
  /// layers' widths do not meet or heads do not divide them.
  MultiHeadAttention(Linear<E> query, Linear<E> key, Linear<E> value, Linear<E> output, Extent heads,
                     const Where& where = Where::current())
      : query_(std::move(query)),
        key_(std::move(key)),
        value_(std::move(value)),
        output_(std::move(output)),
        heads_(heads) {
    detail::require(query_.out() == key_.out() && value_.out() == output_.in(), "MultiHeadAttention",
                    "queries must be as wide as keys, and values as the output layer's input",
                    {query_.shape(), key_.shape(), value_.shape(), output_.shape()}, where);
    detail::require(heads > 0 && query_.out() % heads == 0 && value_.out() % heads == 0, "MultiHeadAttention",
                    fmt::format("{} heads must divide the widths of queries and values", heads),
                    {query_.shape(), value_.shape()}, where);
  }

  /// Self-attention of x [time, width] or [batch, time, width] over all of it.
  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    const Value<E> mask = input.constant(Shape({1, 1}), 0.0);
    return express(input, input, mask, where);
  }
  /// Self-attention under a mask as masked_attention takes it: it is added to scores [..., heads, time,
  /// time].
  Value<E> express(const Value<E>& input, const Value<E>& mask, const Where& where = Where::current()) const {
    return express(input, input, mask, where);
  }
  /// Queries from `input`, keys and values from `memory`.
  Value<E> express(const Value<E>& input, const Value<E>& memory, const Value<E>& mask,
                   const Where& where = Where::current()) const {
    const Value<E> query = split_heads(query_.express(input, where), heads_, where);
    const Value<E> key = split_heads(key_.express(memory, where), heads_, where);
    const Value<E> value = split_heads(value_.express(memory, where), heads_, where);
    const double width = static_cast<double>(query_.out() / heads_);
    const Value<E> scale = input.constant(Shape(), 1.0 / std::sqrt(width));
    const Value<E> heads = masked_attention(query, key, value, mask, scale, where);
    return output_.express(merge_heads(heads, where), where);
  }

  void visit(Visitor& visitor) const override {
    visit_inside(visitor, "query", query_);
    visit_inside(visitor, "key", key_);
    visit_inside(visitor, "value", value_);
    visit_inside(visitor, "output", output_);
  }

 private:
  Linear<E> query_;
  Linear<E> key_;
  Linear<E> value_;
  Linear<E> output_;
  Extent heads_;
};

}  // namespace topos
