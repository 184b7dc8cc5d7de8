#include "topos/backends/temporary_directory.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "topos/base/error.hpp"

namespace topos::backends {

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error)
    throw EnvironmentError(fmt::format("[temporary directory] no place for one: {}", error.message()));
  std::string name = (parent / "topos-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw EnvironmentError(
        fmt::format("[temporary directory] {} cannot be made: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // what is left is the system's to clean, as with any temporary file
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryDirectory::write(std::string_view name,
                                                std::span<const std::string_view> pieces) const {
  const std::filesystem::path file = path_ / name;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::string_view piece : pieces)
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  out.close();
  if (!out) {
    throw EnvironmentError(
        fmt::format("[temporary directory] {} cannot be written: {}", file.string(), std::strerror(errno)));
  }
  return file;
}

}  // namespace topos::backends
