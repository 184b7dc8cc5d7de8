// Threads that share out the tasks of one kernel. What a task computes never depends on which thread runs it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace topos::kernels {

/// A reference to a callable void(std::size_t), without allocation; must not outlive it.
class TaskReference {
 public:
  template <class Task>
    requires(!std::is_same_v<std::remove_cvref_t<Task>, TaskReference>)
  TaskReference(Task&& task)  // NOLINT(google-explicit-constructor): a callable is its reference
      : task_(std::addressof(task)), call_([](const void* t, std::size_t i) {
          (*static_cast<std::remove_reference_t<Task>*>(const_cast<void*>(t)))(i);
        }) {}
  void operator()(std::size_t index) const { call_(task_, index); }

 private:
  const void* task_;
  void (*call_)(const void*, std::size_t);
};

/// Workers that wait for tasks: some tens of microseconds spinning, then asleep.
class ThreadPool {
 public:
  /// The process's pool, of default_threads() at the first call. Never destroyed: a thread may still be
  /// computing while the process ends.
  static ThreadPool& global();
  /// As many as TOPOS_THREADS says, or as there are processors that the process may run on. Throws
  /// EnvironmentError for a TOPOS_THREADS that is not a number in 1 ... 1024.
  static std::size_t default_threads();

  /// The workers start with the first run() that can use them; as few as the system gives will do.
  /// Throws UsageError unless `threads` is in 1 ... 1024.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// How many threads share the tasks, the caller among them.
  std::size_t threads() const;
  /// Another number of threads from now on (for tests and for programs that know better). Throws UsageError
  /// for a number outside 1 ... 1024, and while tasks run.
  void resize(std::size_t threads);

  /// task(0) ... task(count - 1), each once, on the caller and the workers; returns when all have ended. No
  /// heap allocation once the workers have started. When a task throws, tasks not yet begun are skipped and
  /// the first exception is rethrown here. A pool that is busy with another caller's tasks, and a nested
  /// call, run the tasks on the caller. After fork() the child's pool starts its own workers; a child that a
  /// task forked must not return from the task (UsageError where that can be told), for the other tasks stay
  /// with the parent.
  void run(std::size_t count, TaskReference task);

 private:
  struct Shared;
  Shared& shared() const;
  mutable std::atomic<Shared*> shared_;  // replaced in the child after fork()
};

}  // namespace topos::kernels
