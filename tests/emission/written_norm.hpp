// A batch norm as a user writes it from single operations.
#pragma once

#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

/// A batch norm of [rows, features] written out by hand, with the statistics of its batch or given ones.
template <class E>
struct NormWritten {
  Extent rows, features;
  Tape<E> tape;
  Value<E> scale, shift;
  Value<E> epsilon;
  Value<E> input;
  Value<E> mean, variance, centered, result;

  explicit NormWritten(double tiny = 1e-5f, Extent with_rows = 3, Extent with_features = 2)
      : rows(with_rows),
        features(with_features),
        scale(tape.parameter(filled(Shape({features}), 1))),
        shift(tape.parameter(filled(Shape({features}), 0))),
        epsilon(tape.leaf(Tensor<E>(static_cast<E>(tiny)))),
        input(tape.input(filled(Shape({rows, features}), 0))),
        mean(input),
        variance(input),
        centered(input),
        result(input) {}

  static Tensor<E> filled(const Shape& shape, double value) {
    return Tensor<E>::filled(shape, static_cast<E>(value));
  }
  Value<E> average(const Value<E>& x) {
    const Value<E> total = sum_along(x, 0);
    return total / tape.leaf(filled(total.shape(), static_cast<double>(rows)));
  }
  void train() {
    mean = average(input);
    centered = input - broadcast_along(mean, 0, rows);
    variance = average(centered * centered);
    finish();
  }
  void infer() {
    mean = tape.input(filled(Shape({features}), 0));
    variance = tape.input(filled(Shape({features}), 1));
    centered = input - broadcast_along(mean, 0, rows);
    finish();
  }
  void finish() {
    const Value<E> spread = broadcast(epsilon, Shape({features}));
    const Value<E> deviation = sqrt(variance + spread);
    const Value<E> standard = centered / broadcast_along(deviation, 0, rows);
    const Value<E> scaled = standard * broadcast_along(scale, 0, rows);
    result = scaled + broadcast_along(shift, 0, rows);
  }
};

}  // namespace topos::testing
