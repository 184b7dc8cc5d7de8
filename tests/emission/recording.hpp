// A program under test, from its recording to its text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/golden.hpp"
#include "topos/emission/emit.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

/// A tape with zero-filled inputs, and its text.
template <class E>
struct Recording {
  Tape<E> tape;
  Value<E> input(Shape shape) { return tape.input(zeros(std::move(shape))); }
  Value<E> parameter(Shape shape) { return tape.parameter(zeros(std::move(shape))); }
  std::string emit(const Symbols& roots) && {
    return emit_stablehlo(std::move(tape).seal().entry(roots).lower());
  }

 private:
  static Tensor<E> zeros(Shape shape) {
    return Tensor<E>::filled(std::move(shape), ElementTraits<E>::from_double(0.0));
  }
};

inline void expect_captured(const std::string& name, const std::string& text) {
  EXPECT_TRUE(same_text(golden_text("stablehlo/captured/" + name + ".mlir"), text)) << "in " << name;
}

}  // namespace topos::testing
