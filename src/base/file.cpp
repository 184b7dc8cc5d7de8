#include "topos/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "topos/base/error.hpp"

namespace topos {
namespace {

constexpr std::string_view aside_prefix = ".topos-";
constexpr std::string_view aside_suffix = ".partial";

[[noreturn]] void fail(std::string_view doing, const std::string& path, int error) {
  throw EnvironmentError(fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
}

struct stat status_of(const detail::FileDescriptor& file, const std::string& path) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail("examine", path, errno);
  return status;
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Removes what killed writers left: a living writer holds a lock on its file.
void remove_abandoned(const std::string& folder) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(aside_prefix) || !name.ends_with(aside_suffix)) continue;
    const detail::FileDescriptor file(
        ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

}  // namespace

void detail::FileDescriptor::reset(int value) {
  if (value_ >= 0) ::close(value_);
  value_ = value;
}

FileReader::FileReader(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_.get() < 0) fail("open", path_, errno);
  const struct stat status = status_of(file_, path_);
  if (S_ISDIR(status.st_mode)) fail("read", path_, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw EnvironmentError(fmt::format("cannot read {}: not a regular file", path_));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void FileReader::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path_, errno);
    if (count == 0) {
      throw EnvironmentError(fmt::format(
          "cannot read {}: it ends at byte {} and had {} bytes when it was opened; was it cut meanwhile?",
          path_, offset, size_));
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

FileReplacement::FileReplacement(std::string path) : path_(std::move(path)), folder_(folder_of(path_)) {
  remove_abandoned(folder_);
  while (aside_.empty()) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string candidate =
        fmt::format("{}/{}{}-{}{}", folder_, aside_prefix, ::getpid(), now, aside_suffix);
    const int descriptor = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) fail("create a file beside", path_, errno);
    file_.reset(descriptor);
    // Where locks do not work nobody removes anything. Before the lock another writer may have removed it.
    while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    if (status_of(file_, candidate).st_nlink > 0) aside_ = candidate;
  }
}

FileReplacement::~FileReplacement() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void FileReplacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void FileReplacement::commit() {
  struct stat old{};
  if (::stat(path_.c_str(), &old) == 0 && S_ISREG(old.st_mode) &&
      ::fchmod(file_.get(), old.st_mode & 07777) != 0) {
    fail("keep the mode of", path_, errno);
  }
  if (::fsync(file_.get()) != 0) fail("sync", path_, errno);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail("replace", path_, errno);
  aside_.clear();
  const detail::FileDescriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 ||
      (::fsync(folder.get()) != 0 && errno != EINVAL)) {  // EINVAL: folders are not synced there
    fail("sync the folder of the new", path_, errno);
  }
}

std::string read_file(const std::string& path) {
  const detail::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path, errno);
  std::string content;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void write_file(const std::string& path, std::string_view content) {
  FileReplacement file(path);
  file.write(content);
  file.commit();
}

}  // namespace topos
