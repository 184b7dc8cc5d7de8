// Dropout by a mask that is fed.
#pragma once

#include "topos/composites/require.hpp"
#include "topos/nn/module.hpp"
#include "topos/ops/functions.hpp"

namespace topos {

/// x times a mask of its shape. The mask is an input whose default is ones: a run that does not feed it keeps
/// everything, as inference does; training feeds one of DropoutMask (nn/initialize.hpp). No parameters.
template <class E>
class Dropout : public Module<E> {
 public:
  Dropout(Tape<E>& tape, const Shape& shape, const Where& where = Where::current())
      : mask_(tape.input(Tensor<E>::filled(shape, ElementTraits<E>::from_double(1.0)), where)),
        shape_(shape) {}

  /// The input to feed.
  const Symbol& mask() const { return mask_; }
  const Shape& shape() const { return shape_; }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    const Shape shape = input.shape(where);
    detail::require(shape == shape_, "Dropout", "the input must have the mask's shape", {shape, shape_},
                    where);
    return multiply(input, detail::beside(input, mask_, where), where);
  }
  void visit(Visitor&) const override {}

 private:
  Symbol mask_;
  Shape shape_;
};

}  // namespace topos
