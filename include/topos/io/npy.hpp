// NumPy's format for one array: format versions 1, 2 and 3, in either byte order and memory order.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "topos/io/stored_tensor.hpp"

namespace topos {

/// Reads an .npy file: floats, integers, booleans and complex numbers, never pickled objects. The file is as
/// long as its header says. Throws EnvironmentError naming the file and what is wrong.
StoredTensor load_npy(const std::string& path);
/// The same from memory.
StoredTensor parse_npy(std::span<const std::byte> file);

/// Writes format version 1, in row-major order and little-endian, as FileReplacement does. Throws UsageError
/// for an element type that NumPy does not have (BF16) and more axes than its 64.
void save_npy(const std::string& path, const StoredTensor& tensor);
/// The bytes that save_npy writes.
std::string format_npy(const StoredTensor& tensor);

}  // namespace topos
