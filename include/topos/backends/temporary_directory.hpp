// A private directory that lasts as long as its object.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace topos::backends {

/// A fresh directory that only this user can enter; removed with all it holds on destruction.
class TemporaryDirectory {
 public:
  /// Throws EnvironmentError when it cannot be made.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// In the folder that the system has for temporary files.
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file of this name from the pieces in order, and returns its path. Throws EnvironmentError.
  std::filesystem::path write(std::string_view name, std::span<const std::string_view> pieces) const;

 private:
  std::filesystem::path path_;
};

}  // namespace topos::backends
