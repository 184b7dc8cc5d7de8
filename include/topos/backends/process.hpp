// A child process that is spoken to through pipes on its standard input and output.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topos::backends {

/// A command line as words, the first of which is looked up in PATH.
using Command = std::vector<std::string>;

/// The environment variable split on whitespace, or `fallback` when it is unset or blank.
Command command_from_environment(const char* variable, Command fallback);

namespace detail {
/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  void reset();

 private:
  int value_ = -1;
};
}  // namespace detail

/// A running child. One thread at a time may speak to it.
///
/// The child's standard error goes to an unlinked temporary file, whose tail is quoted when the child fails.
/// Every failure is an EnvironmentError that names the command; after one, the two sides may disagree about
/// what was said, so that the child is given up and every later call repeats the failure.
///
/// Writing to a child that went away raises no SIGPIPE: the signal is blocked in the calling thread while it
/// writes, and one that the write raised is taken back before the mask is restored.
class Process {
 public:
  /// What a call and the end may wait for.
  struct Options {
    /// How long one call may take; no limit without it.
    std::optional<std::chrono::milliseconds> call_limit;
    /// How long the destructor waits after closing the pipes, and once more after SIGTERM, before SIGKILL.
    std::chrono::milliseconds exit_grace{500};
  };

  /// Starts `command`. Throws UsageError for an empty command, EnvironmentError when it cannot be started.
  explicit Process(Command command, Options options);
  explicit Process(Command command) : Process(std::move(command), Options()) {}

  /// Closes the pipes, waits, then asks with SIGTERM, then with SIGKILL; the child is always reaped.
  ~Process();

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Writes all pieces in order. What the child says meanwhile is read and kept, so that neither side waits
  /// for the other however much both have to say.
  void write_all(std::span<const std::span<const std::byte>> pieces);
  void write_all(std::span<const std::byte> bytes);
  void write_all(std::string_view text);

  /// Fills all pieces in order. Throws when the child's output ends before.
  void read_exact(std::span<const std::span<std::byte>> pieces);
  void read_exact(std::span<std::byte> bytes);

  /// The next line without its end of line. Throws when the child's output ends before the line does, or
  /// when the line is longer than `longest` bytes.
  std::string read_line(std::size_t longest = std::size_t{1} << 32);

  /// Tells the child that nothing more will be written.
  void close_input();

  /// Closes its input, waits for the child to end and returns its exit status, or 128 plus the signal that
  /// ended it.
  int wait();

  /// The last bytes that the child wrote to its standard error, without surrounding blanks.
  std::string error_tail() const;

  // What was started, and its process id.
  const Command& command() const { return command_; }
  pid_t id() const { return id_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;
  enum class Reading { more, nothing_yet, ended };

  void require_usable() const;
  Deadline deadline() const;
  void wait_for(bool room, Deadline until, std::string_view doing);
  Reading keep_output();
  bool reap(Clock::duration patience);
  std::string fate() const;
  [[noreturn]] void fail(std::string reason);
  [[noreturn]] void fail_as_gone(std::string_view doing);

  Command command_;
  Options options_;
  pid_t id_ = -1;
  detail::Descriptor input_;   // the child's standard input, our writing end
  detail::Descriptor output_;  // the child's standard output, our reading end
  detail::Descriptor errors_;
  std::vector<std::byte> kept_;  // said by the child, not yet read by the caller
  std::size_t kept_start_ = 0;
  bool output_ended_ = false;
  bool reaped_ = false;
  std::optional<int> status_;  // as of waitpid; empty when somebody else collected it
  std::string failure_;
};

/// A command as it would be typed, for messages.
std::string describe(const Command& command);

}  // namespace topos::backends
