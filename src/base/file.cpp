#include "topos/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "topos/base/error.hpp"

namespace topos {
namespace {

[[noreturn]] void fail(std::string_view doing, const std::string& path, int error) {
  throw EnvironmentError(fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
}

/// Closes a descriptor when it goes out of scope.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Removes a file that was not renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  void renamed() { path_.clear(); }

 private:
  std::string path_;
};

}  // namespace

std::string read_file(const std::string& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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
  std::string aside = path + ".XXXXXX";
  const OpenFile file(::mkostemp(aside.data(), O_CLOEXEC));
  if (file.get() < 0) fail("create a file beside", path, errno);
  TemporaryFile temporary(aside);
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", aside, errno);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fchmod(file.get(), 0644) != 0) fail("set the mode of", aside, errno);
  if (::fsync(file.get()) != 0) fail("sync", aside, errno);
  if (::rename(aside.c_str(), path.c_str()) != 0) fail("rename a new file to", path, errno);
  temporary.renamed();
}

}  // namespace topos
