// Files that are whole or absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace topos {

namespace detail {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }
  int get() const { return value_; }
  void reset(int value = -1);

 private:
  int value_;
};

}  // namespace detail

/// A regular file open for reading, whose size does not change while it is read.
class FileReader {
 public:
  /// Throws EnvironmentError naming the file and the reason; a folder, pipe or device is refused without
  /// waiting.
  explicit FileReader(std::string path);

  /// As it was given.
  const std::string& path() const { return path_; }
  /// In bytes.
  std::uint64_t size() const { return size_; }
  /// Fills `bytes` with the file's from `offset`. Throws EnvironmentError when the file has become shorter.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::string path_;
  detail::FileDescriptor file_;
  std::uint64_t size_ = 0;
};

/// A new file that takes another's place when it is complete: written aside in the same folder as
/// ".topos-*.partial", synced and renamed, the folder synced too. A reader, a kill or a crash sees the old
/// file or the new one. What a killed writer left aside is removed by the next replacement in that folder.
class FileReplacement {
 public:
  /// Throws EnvironmentError, as the members do; the old file is then as it was.
  explicit FileReplacement(std::string path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  /// Without a commit nothing happened.
  ~FileReplacement();

  /// Appends to the new file.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Takes the place of the file at the path and keeps its mode. Only a failing sync of the folder, which the
  /// message names, leaves the new file in place.
  void commit();

 private:
  std::string path_;
  std::string folder_;
  std::string aside_;  // empty when there is nothing to remove
  detail::FileDescriptor file_{-1};
};

/// The whole content of a file, of any kind. Throws EnvironmentError naming the file and the system's reason.
std::string read_file(const std::string& path);

/// Replaces a file by `content`, as FileReplacement does.
void write_file(const std::string& path, std::string_view content);

}  // namespace topos
