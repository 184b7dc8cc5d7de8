// Files that are whole or absent.
#pragma once

#include <string>
#include <string_view>

namespace topos {

/// The whole content of a file. Throws EnvironmentError naming the file and the system's reason.
std::string read_file(const std::string& path);

/// Replaces a file by `content`: written aside in the same folder, synced and renamed, so a reader or a crash
/// sees the old file or the new one. Throws EnvironmentError and leaves the old file as it was.
void write_file(const std::string& path, std::string_view content);

}  // namespace topos
