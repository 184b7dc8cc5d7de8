#include "topos/differentiate/adjoints.hpp"

#include <fmt/format.h>

namespace topos {

Symbol Adjoints::of(const Symbol& with_respect_to) const {
  for (const Pair& pair : pairs_) {
    if (pair.with_respect_to == with_respect_to) return pair.gradient;
  }
  throw UsageError(
      fmt::format("no gradient with respect to node {} was recorded: name it when differentiating",
                  with_respect_to.index()));
}

Symbols Adjoints::roots() const {
  Symbols roots{target_};
  for (const Pair& pair : pairs_) roots.push_back(pair.gradient);
  return roots;
}

}  // namespace topos
