// The JSON header of a safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/dtype.hpp"

namespace topos::detail {

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    const Dtype* dtype = nullptr;
    Shape shape{};
    std::uint64_t begin = 0;  // of its bytes, counted from the end of the header
    std::uint64_t end = 0;
  };
  std::vector<Entry> entries;  // as the header lists them
  std::map<std::string, std::string> metadata;
};

/// A header whose every entry has a known type, a shape and the bytes it needs, and whose entries tile
/// `data_size` bytes. Throws EnvironmentError naming the entry and the rule that it breaks.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size);

}  // namespace topos::detail
