// What reading from and writing to a child's pipes needs. Internal to this folder.
#pragma once

#include <limits.h>
#include <signal.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <span>
#include <vector>

namespace topos::backends::detail {

/// Keeps a write to a closed pipe an error code: see the class comment of Process.
class BrokenPipeGuard {
 public:
  BrokenPipeGuard() {
    ::sigemptyset(&broken_pipe_);
    ::sigaddset(&broken_pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~BrokenPipeGuard() {
    if (raised_ && !was_pending_) {
      const timespec now{};
      while (::sigtimedwait(&broken_pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipeGuard(const BrokenPipeGuard&) = delete;
  BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

  void raised() { raised_ = true; }

 private:
  sigset_t broken_pipe_;
  sigset_t before_;
  bool was_pending_ = false;
  bool raised_ = false;
};

/// Pieces of memory as readv and writev take them, shrinking as bytes move.
class Pieces {
 public:
  template <class Bytes>
  explicit Pieces(std::span<const Bytes> pieces) {
    for (const Bytes& piece : pieces) {
      if (!piece.empty()) parts_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
    }
  }
  bool done() const { return first_ == parts_.size(); }
  const iovec* data() const { return parts_.data() + first_; }
  int count() const { return static_cast<int>(std::min<std::size_t>(parts_.size() - first_, IOV_MAX)); }
  void advance(std::size_t bytes) {
    while (bytes > 0) {
      iovec& part = parts_[first_];
      const std::size_t step = std::min(bytes, part.iov_len);
      part.iov_base = static_cast<std::byte*>(part.iov_base) + step;
      part.iov_len -= step;
      bytes -= step;
      if (part.iov_len == 0) ++first_;
    }
  }
  /// Fills the first part from `bytes`; returns how many it took.
  std::size_t fill(std::span<const std::byte> bytes) {
    const std::size_t step = std::min(bytes.size(), parts_[first_].iov_len);
    std::memcpy(parts_[first_].iov_base, bytes.data(), step);
    advance(step);
    return step;
  }

 private:
  std::vector<iovec> parts_;
  std::size_t first_ = 0;
};

}  // namespace topos::backends::detail
