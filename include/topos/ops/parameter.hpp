// Parameter: a trained value: a slot of the caller's Parameters.
#pragma once

#include "topos/ops/source.hpp"

namespace topos {

struct Parameter : SourceOperation {
  static constexpr std::string_view name = "Parameter";
  template <class Writer>
  void spell(Writer& out) const {
    out.source_is_an_argument();
  }
};

}  // namespace topos
