#include "kernels/thread_pool.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "topos/base/error.hpp"
#include "topos/base/float_environment.hpp"

namespace topos::kernels {
namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::chrono::microseconds worker_spins(40);  // before it sleeps
constexpr std::chrono::microseconds caller_spins(20);  // before it yields

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for done() at most that long; false when it has not come.
template <class Done>
bool spin(std::chrono::microseconds limit, Done done) {
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// Counts the forks between the first process and this one: threads do not survive fork().
std::atomic<std::uint32_t> process_generation{0};

void count_forks() {
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { process_generation.fetch_add(1); });
}

// The program's signals are for its own threads; faults and profilers still reach the workers.
void block_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
    sigdelset(&blocked, kept);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

std::size_t require_threads(std::size_t threads) {
  if (threads >= 1 && threads <= most_threads) return threads;
  throw UsageError(fmt::format("a thread pool has 1 ... {} threads, not {}", most_threads, threads));
}

std::size_t processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::size_t>(CPU_COUNT(&allowed));
#endif
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads);
}

// A claim takes `grain` tasks, so that claims fit in 32 bits.
constexpr std::size_t most_claims = 0xFFFFFFFF;

std::uint32_t claims_left(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket); }

}  // namespace

// A ticket holds the number of the run (high half) and the claims left in it. Whoever lowers it by one owns a
// claim; since the number of the run is compared too, a worker that comes late cannot take a claim of another
// run, and while a claim can still be taken what is read of the run is valid. So the caller waits only for
// claims that were taken: a worker that the system does not let run holds up nobody.
struct ThreadPool::Shared {
  alignas(64) std::atomic<std::uint64_t> ticket{0};
  std::atomic<const TaskReference*> task{nullptr};
  std::atomic<std::size_t> count{0};
  std::atomic<std::uint32_t> claims{0};

  alignas(64) std::atomic<std::uint32_t> finished{0};  // claims of this run that workers have carried out
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  alignas(64) std::atomic<std::uint32_t> sleeping{0};
  std::atomic<std::uint32_t> bell{0};  // workers sleep until it changes
  std::atomic<bool> stopping{false};

  alignas(64) std::atomic<bool> busy{false};
  std::atomic<std::size_t> threads;
  bool started = false;
  std::vector<std::thread> workers;
  const std::uint32_t generation = process_generation.load();
  const Shared* parent;  // what fork() left behind: its threads can be neither joined nor forgotten

  Shared(std::size_t count_of_threads, const Shared* from) : threads(count_of_threads), parent(from) {}

  bool inherited() const { return generation != process_generation.load(std::memory_order_relaxed); }

  void start() {
    started = true;
    const std::size_t wanted = threads.load(std::memory_order_relaxed) - 1;
    workers.reserve(wanted);
    try {
      while (workers.size() < wanted) workers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // The system has no more threads to give; those that there are, the caller at least, do everything.
    }
  }

  void stop() {
    stopping.store(true);
    bell.fetch_add(1);
    bell.notify_all();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
    stopping.store(false);
    started = false;
  }

  void work() {
    block_signals();
    const DefaultFloatEnvironment environment;  // a thread inherits its creator's
    const auto is_called = [this] { return claims_left(ticket.load()) > 0 || stopping.load(); };
    while (true) {
      if (!spin(worker_spins, is_called)) {
        const std::uint32_t heard = bell.load();
        sleeping.fetch_add(1);
        if (!is_called()) bell.wait(heard);
        sleeping.fetch_sub(1);
      }
      if (stopping.load()) return;
      if (const std::uint32_t done = carry_out()) finished.fetch_add(done, std::memory_order_release);
    }
  }

  /// Takes claims until none is left; how many it carried out.
  std::uint32_t carry_out() {
    std::uint32_t done = 0;
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    while (claims_left(seen) > 0) {
      const TaskReference* const current = task.load(std::memory_order_relaxed);
      const std::uint32_t all = claims.load(std::memory_order_relaxed);
      const std::size_t tasks = count.load(std::memory_order_relaxed);
      if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        continue;
      }
      const std::size_t grain = (tasks - 1) / all + 1;
      const std::size_t first = std::size_t{all - claims_left(seen)} * grain;
      perform(*current, first, std::min(first + grain, tasks));
      ++done;
      seen = ticket.load(std::memory_order_acquire);
      if (failed.load(std::memory_order_relaxed)) done += drop_claims(seen);
    }
    return done;
  }

  /// Takes the claims that are left and carries them out by doing nothing.
  std::uint32_t drop_claims(std::uint64_t& seen) {
    while (claims_left(seen) > 0) {
      const std::uint32_t left = claims_left(seen);
      if (ticket.compare_exchange_weak(seen, seen - left, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        seen -= left;
        return left;
      }
    }
    return 0;
  }

  void perform(const TaskReference& current, std::size_t first, std::size_t last) {
    try {
      for (std::size_t i = first; i < last && !failed.load(std::memory_order_relaxed); ++i) current(i);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }

  /// Wakes as many sleepers as the claims can use, beside the workers that are awake.
  void wake(std::size_t useful) {
    const std::size_t asleep = sleeping.load();
    const std::size_t awake = workers.size() - std::min(asleep, workers.size());
    if (asleep == 0 || useful <= awake) return;
    bell.fetch_add(1);
    if (useful - awake >= asleep) {
      bell.notify_all();
    } else {
      for (std::size_t i = awake; i < useful; ++i) bell.notify_one();
    }
  }

  /// By the caller that has set `busy`.
  void share_out(std::size_t tasks, const TaskReference& current) {
    if (!started) start();
    const std::size_t grain = (tasks - 1) / most_claims + 1;
    const auto all = static_cast<std::uint32_t>((tasks - 1) / grain + 1);
    task.store(&current, std::memory_order_relaxed);
    count.store(tasks, std::memory_order_relaxed);
    claims.store(all, std::memory_order_relaxed);
    finished.store(0, std::memory_order_relaxed);
    const std::uint64_t run = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
    ticket.store(run << 32 | all);  // sequentially consistent, as `sleeping` and `bell` are: no wake is lost
    wake(std::min<std::size_t>(all - 1, workers.size()));
    const std::uint32_t others = all - carry_out();
    const auto is_done = [&] { return finished.load(std::memory_order_acquire) == others; };
    if (!spin(caller_spins, is_done)) {
      while (!is_done()) {
        if (inherited())
          throw UsageError("fork() in a task: the child cannot return from the task; call exec or _exit");
        std::this_thread::yield();
      }
    }
    if (failed.load(std::memory_order_relaxed)) {
      failed.store(false, std::memory_order_relaxed);
      std::rethrow_exception(std::exchange(error, nullptr));
    }
  }
};

std::size_t ThreadPool::default_threads() {
  const char* text = std::getenv("TOPOS_THREADS");
  if (!text || !*text) return processors();
  const char* end = text + std::strlen(text);
  std::size_t threads = 0;
  const auto [stop, error] = std::from_chars(text, end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > most_threads) {
    throw EnvironmentError(
        fmt::format("TOPOS_THREADS is \"{}\"; it takes a number in 1 ... {}", text, most_threads));
  }
  return threads;
}

ThreadPool& ThreadPool::global() {
  static ThreadPool& pool = *new ThreadPool(default_threads());
  return pool;
}

ThreadPool::ThreadPool(std::size_t threads) {
  require_threads(threads);
  count_forks();
  shared_.store(new Shared(threads, nullptr));
}

ThreadPool::~ThreadPool() {
  Shared* const last = shared_.load();
  if (last->inherited()) return;  // its workers live in the parent
  last->stop();
  delete last;
}

ThreadPool::Shared& ThreadPool::shared() const {
  Shared* current = shared_.load(std::memory_order_acquire);
  if (!current->inherited()) return *current;
  auto own = std::make_unique<Shared>(current->threads.load(), current);
  if (!shared_.compare_exchange_strong(current, own.get())) return *current;
  return *own.release();
}

std::size_t ThreadPool::threads() const { return shared().threads.load(std::memory_order_relaxed); }

void ThreadPool::resize(std::size_t threads) {
  require_threads(threads);
  Shared& own = shared();
  if (own.busy.exchange(true, std::memory_order_acquire)) {
    throw UsageError("a thread pool cannot change its number of threads while its tasks run");
  }
  if (own.threads.load() != threads) {
    own.stop();
    own.threads.store(threads);
  }
  own.busy.store(false, std::memory_order_release);
}

void ThreadPool::run(std::size_t count, TaskReference task) {
  if (count > 1) {
    Shared& own = shared();
    if (own.threads.load(std::memory_order_relaxed) > 1 &&
        !own.busy.exchange(true, std::memory_order_acquire)) {
      struct Release {
        std::atomic<bool>& busy;
        ~Release() { busy.store(false, std::memory_order_release); }
      } release{own.busy};
      own.share_out(count, task);
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) task(i);
}

}  // namespace topos::kernels
