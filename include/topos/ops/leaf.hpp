// Leaf: a constant: its payload is part of the program.
#pragma once

#include "topos/ops/source.hpp"

namespace topos {

struct Leaf : SourceOperation {
  static constexpr std::string_view name = "Leaf";
  template <class Writer>
  void spell(Writer& out) const {
    out.payload_constant();
  }
};

}  // namespace topos
