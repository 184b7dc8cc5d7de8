#include "topos/io/checkpoint.hpp"

#include <fmt/format.h>

#include "topos/base/error.hpp"

namespace topos {

void Checkpoint::add(std::string name, StoredTensor tensor) {
  if (!index_.emplace(name, entries_.size()).second) {
    throw UsageError(fmt::format("the checkpoint has a tensor '{}' already", name));
  }
  entries_.push_back({std::move(name), std::move(tensor)});
}

const StoredTensor& Checkpoint::of(const std::string& name) const& {
  const auto found = index_.find(name);
  if (found == index_.end()) {
    throw UsageError(fmt::format("the checkpoint has no tensor '{}' among its {}", name, entries_.size()));
  }
  return entries_[found->second].tensor;
}

}  // namespace topos
