#include "spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "topos/base/error.hpp"

extern char** environ;

namespace topos::backends::detail {
namespace {

constexpr int pipe_bytes = 1 << 20;  // what Linux grants an ordinary user

[[noreturn]] void fail_to_start(const Command& command, std::string_view what, int error) {
  throw EnvironmentError(
      fmt::format("[process] cannot start `{}`: {}: {}", describe(command), what, std::strerror(error)));
}

/// Moves a descriptor past the standard ones, which the child's are copied over.
Descriptor above_standard(int value) {
  if (value < 0 || value > STDERR_FILENO) return Descriptor(value);
  const Descriptor low(value);
  return Descriptor(::fcntl(value, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe open_pipe(const Command& command) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(command, "no pipe", errno);
  Pipe pipe{above_standard(ends[0]), above_standard(ends[1])};
  if (!pipe.read || !pipe.write) fail_to_start(command, "no pipe", errno);
  // A wide pipe saves changes of process; where the system refuses, the usual width works too.
  ::fcntl(pipe.write.get(), F_SETPIPE_SZ, pipe_bytes);
  return pipe;
}

/// Only our end: the flag belongs to the open file, and the child's end is another.
void never_block(const Descriptor& end) {
  ::fcntl(end.get(), F_SETFL, ::fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

/// An unlinked file: a child can write there for ever without anybody reading along.
Descriptor open_error_log(const Command& command) {
  std::error_code error;
  const auto directory = std::filesystem::temp_directory_path(error);
  if (error) fail_to_start(command, "no temporary directory for its standard error", error.value());
  std::string path = (directory / "topos-stderr-XXXXXX").string();
  Descriptor log = above_standard(::mkostemp(path.data(), O_CLOEXEC | O_APPEND));
  if (!log) fail_to_start(command, path, errno);
  ::unlink(path.c_str());
  return log;
}

/// What posix_spawn is told, freed at the end.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // The child starts with no signal blocked and with SIGPIPE alive, whatever our threads chose.
    sigset_t none;
    sigset_t defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void connect(const Descriptor& from, int to) {
    ::posix_spawn_file_actions_adddup2(&actions_, from.get(), to);
  }
  /// Returns 0 or an error number.
  int spawn(pid_t& id, Command command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    return ::posix_spawnp(&id, words[0], &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Spawned spawn(const Command& command) {
  Pipe to_child = open_pipe(command);
  Pipe from_child = open_pipe(command);
  Descriptor errors = open_error_log(command);
  never_block(to_child.write);
  never_block(from_child.read);
  SpawnPlan plan;
  plan.connect(to_child.read, STDIN_FILENO);
  plan.connect(from_child.write, STDOUT_FILENO);
  plan.connect(errors, STDERR_FILENO);
  pid_t id = -1;
  const int error = plan.spawn(id, command);
  if (error != 0) fail_to_start(command, command.front(), error);
  return {id, std::move(to_child.write), std::move(from_child.read), std::move(errors)};
}

}  // namespace topos::backends::detail
