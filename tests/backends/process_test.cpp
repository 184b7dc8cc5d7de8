#include "topos/backends/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>

#include "support/failure.hpp"
#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

Command shell(std::string script) { return {"/bin/sh", "-c", std::move(script)}; }

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<std::byte>(at * 2654435761u >> 13);
  return bytes;
}

bool is_alive(pid_t id) { return ::kill(id, 0) == 0; }

TEST(Process, lines_and_bytes_go_through_cat) {
  Process cat({"/bin/cat"});
  cat.write_all("one\n\ntwo\nrest");
  EXPECT_EQ(cat.read_line(), "one");
  EXPECT_EQ(cat.read_line(), "");
  EXPECT_EQ(cat.read_line(), "two");
  std::array<std::byte, 4> rest{};
  cat.read_exact(rest);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(rest.data()), 4), "rest");
  EXPECT_EQ(cat.wait(), 0);
  EXPECT_EQ(cat.command(), Command{"/bin/cat"});
}

TEST(Process, both_sides_may_have_more_to_say_than_a_pipe_holds) {
  // cat answers while it is written to, and its answer is not read before all is written.
  Process cat({"/bin/cat"});
  const std::vector<std::byte> said = pattern(std::size_t{9} << 20);
  cat.write_all(said);
  std::vector<std::byte> heard(said.size());
  cat.read_exact(heard);
  EXPECT_TRUE(said == heard);
}

TEST(Process, pieces_are_written_and_read_in_order) {
  Process cat({"/bin/cat"});
  const std::vector<std::byte> said = pattern(3'000'000);
  const std::span<const std::byte> all = said;
  const std::vector<std::span<const std::byte>> parts{all.first(1), all.subspan(1, 0),
                                                      all.subspan(1, 1'999'999), all.subspan(2'000'000)};
  cat.write_all(parts);
  std::vector<std::byte> heard(said.size());
  const std::span<std::byte> room = heard;
  const std::vector<std::span<std::byte>> targets{room.first(1'500'000), room.subspan(1'500'000, 0),
                                                  room.subspan(1'500'000)};
  cat.read_exact(targets);
  EXPECT_TRUE(said == heard);
}

TEST(Process, a_long_line_is_one_line) {
  Process cat({"/bin/cat"});
  const std::string line(5'000'000, 'x');
  cat.write_all(line + "\nnext\n");
  EXPECT_EQ(cat.read_line(), line);
  EXPECT_EQ(cat.read_line(), "next");
}

TEST(Process, a_line_over_the_limit_is_refused) {
  Process cat({"/bin/cat"});
  cat.write_all(std::string(100, 'x') + "\n");
  EXPECT_THAT(failure_of([&] { cat.read_line(99); }),
              HasSubstr("answered with a line of more than 99 bytes"));
}

TEST(Process, an_exit_status_and_the_errors_are_in_the_message) {
  Process child(shell("read line; echo 'no such thing' >&2; exit 7"));
  child.write_all("request\n");
  const std::string message = failure_of([&] { child.read_line(); });
  EXPECT_THAT(message, HasSubstr("[process] `/bin/sh -c read line;"));
  EXPECT_THAT(message, HasSubstr("ended with exit status 7 instead of answering"));
  EXPECT_THAT(message, HasSubstr("its standard error ends: no such thing"));
}

TEST(Process, a_signal_is_in_the_message) {
  Process child(shell("read line; kill -KILL $$"));
  child.write_all("request\n");
  std::array<std::byte, 1> answer{};
  EXPECT_THAT(
      failure_of([&] { child.read_exact(answer); }),
      HasSubstr("was ended by signal 9 (Killed) instead of answering; it wrote nothing to standard error"));
}

TEST(Process, an_answer_cut_short_is_a_failure) {
  Process child(shell("printf abc"));
  std::array<std::byte, 4> answer{};
  EXPECT_THAT(failure_of([&] { child.read_exact(answer); }),
              HasSubstr("ended with exit status 0 instead of answering"));
}

TEST(Process, a_line_without_its_end_is_a_failure) {
  Process child(shell("printf abc"));
  EXPECT_THAT(failure_of([&] { child.read_line(); }),
              HasSubstr("exit status 0 instead of answering with a line"));
}

TEST(Process, a_failure_is_repeated_and_the_child_not_reused) {
  Process child(shell("exit 3"));
  const std::string first = failure_of([&] { child.read_line(); });
  EXPECT_EQ(failure_of([&] { child.read_line(); }), first + " (it was given up then)");
  EXPECT_EQ(failure_of([&] { child.write_all("more"); }), first + " (it was given up then)");
}

TEST(Process, writing_to_a_dead_child_raises_no_signal) {
  // The default action of SIGPIPE would end this test.
  struct sigaction fatal{};
  struct sigaction before{};
  fatal.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &fatal, &before);
  Process child(shell("exec 0<&-; echo closed; sleep 0.1; exit 4"));
  EXPECT_EQ(child.read_line(), "closed");
  EXPECT_THAT(failure_of([&] { child.write_all(pattern(4 << 20)); }),
              HasSubstr("ended with exit status 4 instead of taking what was written to it"));
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGPIPE), 0);
  ::sigaction(SIGPIPE, &before, nullptr);
}

TEST(Process, a_child_that_stops_mid_request_is_a_failure) {
  Process child(shell("head -c 1000 >/dev/null; exit 5"));
  EXPECT_THAT(failure_of([&] { child.write_all(pattern(8 << 20)); }), HasSubstr("ended with exit status 5"));
}

TEST(Process, a_dead_child_whose_own_child_holds_the_pipes_is_noticed) {
  Process child(shell("sleep 20 & exit 6"));
  const auto start = Clock::now();
  EXPECT_THAT(failure_of([&] { child.read_line(); }), HasSubstr("ended with exit status 6"));
  EXPECT_LT(Clock::now() - start, 5s);
}

TEST(Process, silence_ends_at_the_deadline) {
  Process child(shell("sleep 20"), {.call_limit = 100ms, .exit_grace = 50ms});
  const auto start = Clock::now();
  EXPECT_THAT(failure_of([&] { child.read_line(); }),
              HasSubstr("was still answering with a line after 100 ms"));
  EXPECT_GE(Clock::now() - start, 100ms);
  EXPECT_LT(Clock::now() - start, 5s);
}

TEST(Process, a_child_that_does_not_listen_ends_at_the_deadline) {
  Process child(shell("sleep 20"), {.call_limit = 100ms, .exit_grace = 50ms});
  EXPECT_THAT(failure_of([&] { child.write_all(pattern(8 << 20)); }),
              HasSubstr("was still taking what was written to it after 100 ms"));
}

TEST(Process, much_on_standard_error_blocks_nobody_and_its_tail_is_kept) {
  Process child(
      shell("i=0; while [ $i -lt 20000 ]; do echo \"complaint number $i\" >&2; i=$((i+1)); done; exit 1"));
  const std::string message = failure_of([&] { child.read_line(); });
  EXPECT_THAT(message, HasSubstr("standard error ends: complaint number"));
  EXPECT_THAT(message, testing::EndsWith("complaint number 19999"));
  EXPECT_LT(message.size(), 4000u);
}

TEST(Process, a_program_that_is_not_there_is_named) {
  EXPECT_EQ(failure_of([] { Process({"/no/such/program", "word"}); }),
            "[process] cannot start `/no/such/program word`: /no/such/program: No such file or directory");
}

TEST(Process, an_empty_command_is_a_usage_error) { EXPECT_THROW(Process(Command{}), UsageError); }

TEST(Process, wait_returns_the_exit_status) {
  EXPECT_EQ(Process(shell("exit 9")).wait(), 9);
  EXPECT_EQ(Process(shell("kill -TERM $$")).wait(), 128 + SIGTERM);
}

TEST(Process, what_was_said_before_the_end_can_be_read_after_it) {
  Process child(shell("echo result; exit 0"));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.read_line(), "result");
}

TEST(Process, writing_after_closing_the_input_is_a_usage_error) {
  Process cat({"/bin/cat"});
  cat.close_input();
  EXPECT_THROW(cat.write_all("late"), UsageError);
}

TEST(Process, destruction_ends_and_reaps_a_child_that_reads_to_the_end) {
  pid_t id = 0;
  const auto start = Clock::now();
  {
    Process cat({"/bin/cat"});
    id = cat.id();
    EXPECT_TRUE(is_alive(id));
  }
  EXPECT_LT(Clock::now() - start, 400ms);  // the end of its input is enough
  EXPECT_FALSE(is_alive(id));
  EXPECT_EQ(::waitpid(id, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, destruction_ends_a_child_that_ignores_everything) {
  pid_t id = 0;
  {
    Process child(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"),
                  {.call_limit = {}, .exit_grace = 50ms});
    EXPECT_EQ(child.read_line(), "ready");
    id = child.id();
  }
  EXPECT_FALSE(is_alive(id));
}

std::set<int> open_descriptors() {
  std::set<int> found;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) found.insert(descriptor);
  }
  return found;
}

TEST(Process, a_child_inherits_no_pipe_of_another) {
  // If the second held the first one's input open, closing it would not end the first.
  auto first = std::make_unique<Process>(Command{"/bin/cat"});
  Process second({"/bin/cat"});
  const auto start = Clock::now();
  first.reset();
  EXPECT_LT(Clock::now() - start, 400ms);
}

TEST(Process, every_descriptor_closes_on_exec_and_none_is_leaked) {
  const std::set<int> before = open_descriptors();
  {
    Process cat({"/bin/cat"});
    const std::set<int> during = open_descriptors();
    EXPECT_EQ(during.size(), before.size() + 3);
    for (const int descriptor : during) {
      if (before.contains(descriptor)) continue;
      EXPECT_EQ(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    }
  }
  EXPECT_THROW(Process({"/no/such/program"}), EnvironmentError);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Process, signals_that_interrupt_calls_lose_nothing) {
  struct sigaction quiet{};
  struct sigaction before{};
  quiet.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &quiet, &before);  // without SA_RESTART
  const pthread_t self = ::pthread_self();
  std::atomic<bool> done{false};
  std::thread disturber([&] {
    while (!done) {
      ::pthread_kill(self, SIGUSR1);
      std::this_thread::sleep_for(200us);
    }
  });
  Process cat({"/bin/cat"});
  const std::vector<std::byte> said = pattern(20 << 20);
  cat.write_all(said);
  std::vector<std::byte> heard(said.size());
  cat.read_exact(heard);
  done = true;
  disturber.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(said == heard);
}

TEST(Process, a_command_from_the_environment_is_split_on_blanks) {
  ::setenv("TOPOS_TEST_COMMAND", "  nice -n 5\tpython3  ", 1);
  EXPECT_EQ(command_from_environment("TOPOS_TEST_COMMAND", {"other"}),
            (Command{"nice", "-n", "5", "python3"}));
  ::setenv("TOPOS_TEST_COMMAND", " \t", 1);
  EXPECT_EQ(command_from_environment("TOPOS_TEST_COMMAND", {"other"}), (Command{"other"}));
  ::unsetenv("TOPOS_TEST_COMMAND");
  EXPECT_EQ(command_from_environment("TOPOS_TEST_COMMAND", {"other"}), (Command{"other"}));
}

}  // namespace
}  // namespace topos::backends
