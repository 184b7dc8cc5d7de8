// Input: a value fed at each run; unfed, its recorded default.
#pragma once

#include "topos/ops/source.hpp"

namespace topos {

struct Input : SourceOperation {
  static constexpr std::string_view name = "Input";
  template <class Writer>
  void spell(Writer& out) const {
    out.source_is_an_argument();
  }
};

}  // namespace topos
