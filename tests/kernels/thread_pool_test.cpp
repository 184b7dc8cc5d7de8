// Every task once, whoever runs it and whatever fails.
#include "kernels/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "topos/base/error.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace topos::kernels {
namespace {

using std::chrono::microseconds;

// How often each task ran.
class Tally {
 public:
  explicit Tally(std::size_t count) : runs_(count) {}
  void operator()(std::size_t i) { runs_[i].fetch_add(1, std::memory_order_relaxed); }
  bool each_is(int times) const {
    return std::all_of(runs_.begin(), runs_.end(), [&](const auto& runs) { return runs.load() == times; });
  }
  int total() const {
    int sum = 0;
    for (const auto& runs : runs_) sum += runs.load();
    return sum;
  }

 private:
  std::vector<std::atomic<int>> runs_;
};

// The exit status of a child that runs `body`; -1 when it did not exit within ten seconds.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  for (int i = 0; i < 10000; ++i) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(microseconds(1000));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return -1;
}

// Holds each task until all the pool's threads have one, so that all of them are seen.
std::vector<std::thread::id> threads_seen(ThreadPool& pool) {
  const std::size_t count = pool.threads();
  std::vector<std::thread::id> seen(count);
  std::atomic<std::size_t> arrived{0};
  pool.run(count, [&](std::size_t i) {
    seen[i] = std::this_thread::get_id();
    arrived.fetch_add(1);
    while (arrived.load() < count) std::this_thread::yield();
  });
  return seen;
}

TEST(ThreadPool, EachTaskRunsOnce) {
  for (const std::size_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const std::size_t count : {0, 1, 2, 3, 7, 8, 9, 1000}) {
      Tally tally(count);
      for (int repeat = 0; repeat < 20; ++repeat) pool.run(count, tally);
      EXPECT_TRUE(tally.each_is(20)) << threads << " threads, " << count << " tasks";
    }
  }
}

TEST(ThreadPool, ManyShortRunsLoseNoTaskAndLeaveNoneBehind) {
  ThreadPool pool(4);
  std::vector<int> written(5);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    pool.run(written.size(),
             [&](std::size_t i) { written[i] = repeat; });  // a late worker would be a data race
    ASSERT_EQ(std::count(written.begin(), written.end(), repeat), 5);
  }
}

TEST(ThreadPool, AllThreadsTakePartTheCallerToo) {
  ThreadPool pool(4);
  std::vector<std::thread::id> seen = threads_seen(pool);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), std::this_thread::get_id()), 1);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(ThreadPool, SleepingWorkersWake) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::this_thread::sleep_for(microseconds(500));
    threads_seen(pool);  // returns only if all three came
  }
}

TEST(ThreadPool, TheFirstExceptionComesBackAndTheRestIsSkipped) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Tally tally(100000);
    try {
      pool.run(100000, [&](std::size_t i) {
        tally(i);
        if (i >= 10) throw i;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::size_t& thrown) {
      EXPECT_GE(thrown, 10u);
    }
    EXPECT_LT(tally.total(), 100000);
  }
  Tally after(100);
  pool.run(100, after);
  EXPECT_TRUE(after.each_is(1));
}

TEST(ThreadPool, ARunOfMoreThan32BitsOfTasksTakesSeveralAtATime) {
  ThreadPool pool(2);
  const std::size_t count = (std::size_t{3} << 32) + 5;
  std::atomic<int> runs{0};
  std::atomic<int> outside{0};
  const auto task = [&](std::size_t i) {
    if (i >= count) outside.fetch_add(1);
    if (runs.fetch_add(1) == 1000) throw i;
  };
  EXPECT_THROW(pool.run(count, task), std::size_t);
  EXPECT_EQ(outside.load(), 0);
}

TEST(ThreadPool, ANestedRunHappensOnItsCaller) {
  ThreadPool pool(3);
  Tally tally(64);
  pool.run(8, [&](std::size_t i) {
    const auto outer = std::this_thread::get_id();
    pool.run(8, [&](std::size_t j) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      tally(8 * i + j);
    });
  });
  EXPECT_TRUE(tally.each_is(1));
}

TEST(ThreadPool, ManyCallersShareOnePool) {
  ThreadPool pool(3);
  Tally tally(4 * 50);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int repeat = 0; repeat < 500; ++repeat) {
        pool.run(50, [&](std::size_t i) { tally(caller * 50 + i); });
        try {
          pool.run(3, [](std::size_t i) {
            if (i == 1) throw std::runtime_error("one");
          });
          ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error&) {
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(tally.each_is(500));
}

TEST(ThreadPool, ResizeChangesTheNumberOfThreads) {
  ThreadPool pool(1);
  for (const std::size_t threads : {4, 1, 2, 2, 3}) {
    pool.resize(threads);
    EXPECT_EQ(pool.threads(), threads);
    EXPECT_EQ(threads_seen(pool).size(), threads);
  }
}

TEST(ThreadPool, ResizeIsRefusedWhileTasksRunAndOutsideItsRange) {
  ThreadPool pool(2);
  std::atomic<int> refused{0};
  pool.run(4, [&](std::size_t) {
    try {
      pool.resize(3);
    } catch (const UsageError&) {
      refused.fetch_add(1);
    }
  });
  EXPECT_EQ(refused.load(), 4);
  EXPECT_EQ(pool.threads(), 2u);
  EXPECT_THROW(pool.resize(0), UsageError);
  EXPECT_THROW(pool.resize(1025), UsageError);
  EXPECT_THROW(ThreadPool(0), UsageError);
}

TEST(ThreadPool, WorkersKeepSubnormalsWhateverTheirCreatorFlushes) {
#if defined(__SSE__)
  ThreadPool pool(3);
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040 | 0x6000);  // flush to zero, denormals are zero, towards zero
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> arrived{0};
  std::atomic<int> wrong{0};
  pool.run(3, [&](std::size_t) {
    const unsigned modes = _mm_getcsr() & 0xFFC0;
    if (std::this_thread::get_id() != caller && modes != 0x1F80) wrong.fetch_add(1);
    arrived.fetch_add(1);
    while (arrived.load() < 3) std::this_thread::yield();
  });
  _mm_setcsr(saved);
  EXPECT_EQ(wrong.load(), 0);
#else
  GTEST_SKIP() << "MXCSR is a register of x86";
#endif
}

TEST(ThreadPool, SignalsStayWithTheProgramsThreads) {
  static std::atomic<bool> came;
  static std::thread::id where;
  came = false;
  ThreadPool pool(3);
  const auto previous = std::signal(SIGUSR1, [](int) {
    where = std::this_thread::get_id();
    came = true;
  });
  threads_seen(pool);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  ::kill(::getpid(), SIGUSR1);
  std::this_thread::sleep_for(microseconds(20000));
  EXPECT_FALSE(came.load()) << "a worker took it";
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  std::signal(SIGUSR1, previous);
  EXPECT_TRUE(came.load());
  EXPECT_EQ(where, std::this_thread::get_id());
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if !defined(__SANITIZE_THREAD__)  // which does not follow threads started after a fork

TEST(ThreadPoolAfterFork, TheChildHasItsOwnWorkers) {
  ThreadPool pool(3);
  threads_seen(pool);
  const int status = status_of_child([&] {
    Tally tally(1000);
    pool.run(1000, tally);
    const bool all = threads_seen(pool).size() == 3;
    pool.resize(2);
    threads_seen(pool);
    return tally.each_is(1) && all ? 7 : 1;
  });
  EXPECT_EQ(status, 7);
  threads_seen(pool);  // the parent's still work
}

TEST(ThreadPoolAfterFork, TheChildDestroysItsPoolsWithoutHanging) {
  const int status = status_of_child([] {
    auto untouched = std::make_unique<ThreadPool>(3);
    threads_seen(*untouched);
    const int grandchild = status_of_child([&] {
      untouched.reset();
      return 7;
    });
    const int user = status_of_child([&] {
      threads_seen(*untouched);
      untouched.reset();
      return 7;
    });
    return grandchild == 7 && user == 7 ? 7 : 1;
  });
  EXPECT_EQ(status, 7);
}

TEST(ThreadPoolAfterFork, AForkWhileAnotherThreadRunsTasksLeavesAFreePool) {
  ThreadPool pool(3);
  std::atomic<bool> is_running{false};
  std::atomic<bool> may_end{false};
  std::thread other([&] {
    pool.run(3, [&](std::size_t) {
      is_running = true;
      while (!may_end.load()) std::this_thread::yield();
    });
  });
  while (!is_running.load()) std::this_thread::yield();
  const int status = status_of_child([&] { return threads_seen(pool).size() == 3 ? 7 : 1; });
  may_end = true;
  other.join();
  EXPECT_EQ(status, 7);
}

TEST(ThreadPoolAfterFork, AChildForkedByATaskIsToldNotToReturnFromIt) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  const pid_t parent = ::getpid();
  std::atomic<std::size_t> arrived{0};
  int status = -1;
  try {
    pool.run(2, [&](std::size_t) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) {
        while (arrived.load() < 3) std::this_thread::yield();
        return;
      }
      const pid_t child = ::fork();
      if (child == 0) return;
      ::waitpid(child, &status, 0);
      arrived.fetch_add(1);
    });
  } catch (const UsageError&) {
    if (::getpid() != parent) ::_exit(7);
    throw;
  }
  if (::getpid() != parent) ::_exit(1);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

#endif

// TOPOS_THREADS as long as this lives.
class ThreadsVariable {
 public:
  explicit ThreadsVariable(const char* text) {
    if (const char* before = std::getenv("TOPOS_THREADS")) before_ = before;
    if (text) {
      ::setenv("TOPOS_THREADS", text, 1);
    } else {
      ::unsetenv("TOPOS_THREADS");
    }
  }
  ThreadsVariable(const ThreadsVariable&) = delete;
  ThreadsVariable& operator=(const ThreadsVariable&) = delete;
  ~ThreadsVariable() {
    if (before_) {
      ::setenv("TOPOS_THREADS", before_->c_str(), 1);
    } else {
      ::unsetenv("TOPOS_THREADS");
    }
  }

 private:
  std::optional<std::string> before_;
};

TEST(ThreadPoolDefault, ToposThreadsIsReadStrictly) {
  for (const std::size_t threads : {1, 3, 1024}) {
    const ThreadsVariable set(std::to_string(threads).c_str());
    EXPECT_EQ(ThreadPool::default_threads(), threads);
  }
  for (const char* text : {"0", "1025", "-1", "+2", " 2", "2 ", "2x", "two", "99999999999999999999", "0x2"}) {
    const ThreadsVariable set(text);
    try {
      ThreadPool::default_threads();
      FAIL() << "accepted \"" << text << '"';
    } catch (const EnvironmentError& error) {
      EXPECT_NE(std::string(error.what()).find('"' + std::string(text) + '"'), std::string::npos)
          << error.what();
    }
  }
}

TEST(ThreadPoolDefault, IsWhatTheProcessMayRunOn) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const auto processors = static_cast<std::size_t>(CPU_COUNT(&allowed));
  for (const char* text : {static_cast<const char*>(nullptr), ""}) {
    const ThreadsVariable set(text);
    EXPECT_EQ(ThreadPool::default_threads(), processors);
  }
}

TEST(ThreadPoolDefault, TheGlobalPoolIsOne) {
  EXPECT_EQ(&ThreadPool::global(), &ThreadPool::global());
  threads_seen(ThreadPool::global());
}

}  // namespace
}  // namespace topos::kernels
