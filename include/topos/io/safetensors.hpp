// The safetensors format in memory. Files are checkpoint.hpp's.
//
// Eight bytes, the length of the header, little-endian; the header, JSON that maps names to {"dtype",
// "shape", "data_offsets"} with "__metadata__" for strings; the elements, without holes or overlaps up to the
// end.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "topos/io/checkpoint.hpp"

namespace topos {

/// The header's limit, in bytes; the reference implementation's too.
inline constexpr std::size_t largest_safetensors_header = 100'000'000;

/// Throws EnvironmentError naming the tensor and the rule that it breaks.
Checkpoint parse_safetensors(std::span<const std::byte> file);

/// The bytes that save_checkpoint writes.
std::string format_safetensors(const Checkpoint& checkpoint);

}  // namespace topos
