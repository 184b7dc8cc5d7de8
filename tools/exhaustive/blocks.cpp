#include "blocks.hpp"

#include <mpfr.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "topos/base/float_environment.hpp"

namespace exhaustive {

std::atomic<bool> interrupted = false;

std::optional<Block> Blocks::take() {
  const std::uint64_t first = next_.fetch_add(block_);
  if (first >= end_ || interrupted) return std::nullopt;
  return Block{first, std::min<std::uint64_t>(block_, end_ - first)};
}

double share_out(const std::string& name, Range range, Blocks& blocks, unsigned threads,
                 const std::atomic<std::uint64_t>& wrong, const std::function<void(Blocks&)>& work) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      const topos::DefaultFloatEnvironment environment;
      work(blocks);
      mpfr_free_cache();
    });
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::uint64_t count = range.to - range.from + 1;
  while (terminal && !interrupted && blocks.done() < count) {
    std::fprintf(stderr, "\r%s: %.1f %%, %llu wrong", name.c_str(),
                 100.0 * static_cast<double>(blocks.done()) / static_cast<double>(count),
                 static_cast<unsigned long long>(wrong));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  for (std::thread& worker : workers) worker.join();
  if (terminal) std::fputs("\r\033[K", stderr);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace exhaustive
