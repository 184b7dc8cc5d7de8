#include "topos/backends/process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "pipe_io.hpp"
#include "spawn.hpp"
#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

using namespace std::chrono_literals;
using detail::BrokenPipeGuard;
using detail::Pieces;

constexpr std::size_t tail_bytes = 2048;    // of standard error, in messages
constexpr std::size_t chunk_bytes = 65536;  // read ahead at a time
constexpr std::string_view blanks = " \t\r\n\v\f";

}  // namespace

void detail::Descriptor::reset() {
  if (value_ >= 0) ::close(std::exchange(value_, -1));
}

Command command_from_environment(const char* variable, Command fallback) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return fallback;
  Command words;
  const std::string_view text = value;
  for (std::size_t start = text.find_first_not_of(blanks); start != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, start), text.size());
    words.emplace_back(text.substr(start, end - start));
    start = text.find_first_not_of(blanks, end);
  }
  return words.empty() ? fallback : words;
}

std::string describe(const Command& command) { return fmt::format("{}", fmt::join(command, " ")); }

Process::Process(Command command, Options options) : command_(std::move(command)), options_(options) {
  if (command_.empty() || command_.front().empty()) {
    throw UsageError("[process] a command has at least the name of a program");
  }
  detail::Spawned child = detail::spawn(command_);
  id_ = child.id;
  input_ = std::move(child.input);
  output_ = std::move(child.output);
  errors_ = std::move(child.errors);
}

Process::~Process() {
  input_.reset();
  output_.reset();
  if (reap(options_.exit_grace)) return;
  ::kill(id_, SIGTERM);
  if (reap(options_.exit_grace)) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::write_all(std::span<const std::span<const std::byte>> pieces) {
  require_usable();
  if (!input_) throw UsageError(fmt::format("[process] the input of `{}` is closed", describe(command_)));
  const Deadline until = deadline();
  BrokenPipeGuard guard;
  for (Pieces rest(pieces); !rest.done();) {
    const ssize_t count = ::writev(input_.get(), rest.data(), rest.count());
    if (count >= 0) {
      rest.advance(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      wait_for(true, until, "taking what was written to it");
    } else if (errno == EPIPE) {
      guard.raised();
      fail_as_gone("taking what was written to it");
    } else if (errno != EINTR) {
      fail(fmt::format("cannot be written to: {}", std::strerror(errno)));
    }
  }
}

void Process::write_all(std::span<const std::byte> bytes) { write_all(std::span(&bytes, 1)); }

void Process::write_all(std::string_view text) { write_all(std::as_bytes(std::span(text))); }

void Process::read_exact(std::span<const std::span<std::byte>> pieces) {
  require_usable();
  const Deadline until = deadline();
  constexpr std::string_view doing = "answering";
  Pieces rest(pieces);
  while (!rest.done() && kept_start_ < kept_.size())
    kept_start_ += rest.fill(std::span(kept_).subspan(kept_start_));
  while (!rest.done()) {
    const ssize_t count = ::readv(output_.get(), rest.data(), rest.count());
    if (count > 0) {
      rest.advance(static_cast<std::size_t>(count));
    } else if (count == 0) {
      fail_as_gone(doing);
    } else if (errno == EAGAIN) {
      wait_for(false, until, doing);
    } else if (errno != EINTR) {
      fail(fmt::format("cannot be read from: {}", std::strerror(errno)));
    }
  }
}

void Process::read_exact(std::span<std::byte> bytes) { read_exact(std::span(&bytes, 1)); }

std::string Process::read_line(std::size_t longest) {
  require_usable();
  const Deadline until = deadline();
  constexpr std::string_view doing = "answering with a line";
  for (std::size_t searched = 0;;) {
    const std::span<const std::byte> unread = std::span(kept_).subspan(kept_start_);
    const auto end =
        std::find(unread.begin() + static_cast<std::ptrdiff_t>(searched), unread.end(), std::byte{'\n'});
    const auto length = static_cast<std::size_t>(end - unread.begin());
    if (length > longest) fail(fmt::format("answered with a line of more than {} bytes", longest));
    if (end != unread.end()) {
      std::string line(reinterpret_cast<const char*>(unread.data()), length);
      kept_start_ += length + 1;
      return line;
    }
    searched = unread.size();
    const Reading reading = keep_output();
    if (reading == Reading::ended) fail_as_gone(doing);
    if (reading == Reading::nothing_yet) wait_for(false, until, doing);
    // Keeping more may have moved what was unread to the front, but not changed it.
  }
}

void Process::close_input() { input_.reset(); }

int Process::wait() {
  require_usable();
  close_input();
  const Deadline until = deadline();
  while (!reap(2ms)) {
    while (keep_output() == Reading::more) {
    }
    if (until && Clock::now() >= *until) {
      fail(fmt::format("did not end within {} ms", options_.call_limit->count()));
    }
  }
  if (!status_) fail(fate());
  return WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
}

std::string Process::error_tail() const {
  const off_t size = ::lseek(errors_.get(), 0, SEEK_END);
  if (size <= 0) return {};
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(tail_bytes));
  std::string text(static_cast<std::size_t>(size - start), '\0');
  const ssize_t count = ::pread(errors_.get(), text.data(), text.size(), start);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  // A first line that was cut says little.
  if (const std::size_t cut = text.find('\n'); start > 0 && cut != std::string::npos) text.erase(0, cut + 1);
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

void Process::require_usable() const {
  if (!failure_.empty()) throw EnvironmentError(fmt::format("{} (it was given up then)", failure_));
}

Process::Deadline Process::deadline() const {
  if (!options_.call_limit) return std::nullopt;
  return Clock::now() + *options_.call_limit;
}

/// Returns when the child has room for input (`room`) or has something to say (otherwise). While it waits for
/// room it keeps what the child says.
void Process::wait_for(bool room, Deadline until, std::string_view doing) {
  for (;;) {
    // A slice at a time, because a child's child may hold the pipes open after our child is gone.
    auto patience = std::chrono::ceil<std::chrono::milliseconds>(250ms);
    if (until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now());
      if (left <= 0ms) fail(fmt::format("was still {} after {} ms", doing, options_.call_limit->count()));
      patience = std::min(patience, left);
    }
    std::array<pollfd, 2> ends{pollfd{output_ended_ ? -1 : output_.get(), POLLIN, 0},
                               pollfd{room ? input_.get() : -1, POLLOUT, 0}};
    const bool gone = reap(0ms);
    const int ready = ::poll(ends.data(), ends.size(), gone ? 0 : static_cast<int>(patience.count()));
    if (ready < 0 && errno != EINTR) fail(fmt::format("cannot be waited for: {}", std::strerror(errno)));
    if (ready == 0 && gone) fail_as_gone(doing);
    if (ready <= 0) continue;
    if (!room || ends[1].revents != 0) return;
    keep_output();
  }
}

/// Reads ahead what the child has said, without waiting.
Process::Reading Process::keep_output() {
  if (kept_start_ == kept_.size()) {
    kept_.clear();
    kept_start_ = 0;
  }
  const std::size_t size = kept_.size();
  kept_.resize(size + chunk_bytes);
  ssize_t count = -1;
  do {
    count = ::read(output_.get(), kept_.data() + size, chunk_bytes);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  kept_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  if (count > 0) return Reading::more;
  if (count < 0 && error != EAGAIN) fail(fmt::format("cannot be read from: {}", std::strerror(error)));
  if (count == 0) output_ended_ = true;
  return count == 0 ? Reading::ended : Reading::nothing_yet;
}

/// True once the child has ended and its status is collected.
bool Process::reap(Clock::duration patience) {
  const Clock::time_point until = Clock::now() + patience;
  for (auto pause = 1ms;; pause = std::min(2 * pause, 20ms)) {
    if (reaped_) return true;
    int status = 0;
    const pid_t ended = ::waitpid(id_, &status, WNOHANG);
    if (ended == id_) {
      reaped_ = true;
      status_ = status;
    } else if (ended < 0 && errno == ECHILD) {
      reaped_ = true;  // the program ignores SIGCHLD, or waits for any child elsewhere
    } else if (Clock::now() >= until) {
      return false;
    } else {
      std::this_thread::sleep_for(pause);
    }
  }
}

std::string Process::fate() const {
  if (!reaped_) return "closed its end of the pipe, though it still runs,";
  if (!status_) return "ended, with a status that another part of this program collected,";
  if (WIFSIGNALED(*status_)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(*status_), ::strsignal(WTERMSIG(*status_)));
  }
  return fmt::format("ended with exit status {}", WEXITSTATUS(*status_));
}

void Process::fail(std::string reason) {
  const std::string tail = error_tail();
  failure_ =
      fmt::format("[process] `{}` {}; {}", describe(command_), reason,
                  tail.empty() ? "it wrote nothing to standard error" : "its standard error ends: " + tail);
  input_.reset();
  output_.reset();
  throw EnvironmentError(failure_);
}

void Process::fail_as_gone(std::string_view doing) {
  reap(1s);
  fail(fmt::format("{} instead of {}", fate(), doing));
}

}  // namespace topos::backends
