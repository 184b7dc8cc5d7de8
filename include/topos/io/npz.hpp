// NumPy's archive of named arrays: a zip file whose members are .npy files.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "topos/io/checkpoint.hpp"

namespace topos {

/// How an archive keeps its members: as they are, or deflated, which takes longer.
enum class Compression { stored, deflated };

/// Reads an .npz archive; names come without ".npy". A member takes memory only when its size is what its npy
/// header needs and what its compressed bytes can hold. Throws EnvironmentError naming the file, the member
/// and what is wrong.
Checkpoint load_npz(const std::string& path);
/// The same from memory.
Checkpoint parse_npz(std::span<const std::byte> file);

/// Writes an archive as FileReplacement does. The same checkpoint makes the same bytes. Throws UsageError for
/// what the format has no place for: metadata, a type or rank that format_npy refuses.
void save_npz(const std::string& path, const Checkpoint& checkpoint,
              Compression compression = Compression::stored);
/// The bytes that save_npz writes.
std::string format_npz(const Checkpoint& checkpoint, Compression compression = Compression::stored);

}  // namespace topos
