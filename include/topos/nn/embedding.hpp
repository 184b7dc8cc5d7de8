// A table of vectors, looked up by id.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/nn/module.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// Row id of a table [vocabulary, width], for each of a selection's ids: [count, width].
///
/// An id outside the table never reaches a run. selection() and Tensor::selection refuse it (UsageError, with
/// the id and its place); a selection of another number of classes is refused by its shape, when it is
/// recorded or fed; and a dense matrix that is fed instead is read row by row at the run, which refuses one
/// that is not one-hot. Nothing is clamped or wrapped.
/// Parameter: weights, the table.
template <class E>
class Embedding : public Module<E> {
 public:
  /// Throws ShapeError unless the table is [vocabulary, width].
  Embedding(Tape<E>& tape, Tensor<E> table, const Where& where = Where::current())
      : Embedding(checked(table, where), tape, std::move(table), where) {}

  const Symbol& weights() const { return weights_; }
  Extent vocabulary() const { return vocabulary_; }
  /// Ids as an input of this table: [ids.size(), vocabulary]. Throws UsageError for an id outside it.
  Tensor<E> selection(std::vector<std::int64_t> ids) const {
    return Tensor<E>::selection(std::move(ids), vocabulary_);
  }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    const Shape shape = input.shape(where);
    detail::require(shape.rank() == 2 && shape[1] == vocabulary_, "Embedding",
                    fmt::format("the input must be a selection [count, {}]", vocabulary_), {shape}, where);
    return gather(input.resolve(weights_, where), input, where);
  }
  void visit(Visitor& visitor) const override { visitor.parameter("weights", weights_); }

 private:
  Embedding(Extent vocabulary, Tape<E>& tape, Tensor<E> table, const Where& where)
      : weights_(tape.parameter(std::move(table), where)), vocabulary_(vocabulary) {}

  static Extent checked(const Tensor<E>& table, const Where& where) {
    detail::require(table.rank() == 2, "Embedding", "the table must be [vocabulary, width]", {table.shape()},
                    where);
    return table.shape()[0];
  }

  Symbol weights_;
  Extent vocabulary_;
};

}  // namespace topos
