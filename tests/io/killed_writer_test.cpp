// A writer that is killed at any moment leaves a whole checkpoint: the old one or the new one.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "io/support.hpp"

namespace topos::io_tests {
namespace {

constexpr int kills = 200;
constexpr Extent elements = 1 << 16;  // 256 KiB: the writes take a good part of the time

class KilledWriter : public Files {};

Checkpoint numbered(int step) {
  Checkpoint checkpoint;
  checkpoint.add("first", Tensor<float>::filled({elements}, static_cast<float>(step)));
  checkpoint.add("last", Tensor<double>::filled({16}, step));
  checkpoint.metadata["step"] = std::to_string(step);
  return checkpoint;
}

/// The step of a checkpoint, each of whose elements must say the same.
int step_of(const Checkpoint& checkpoint) {
  const int step = std::stoi(checkpoint.metadata.at("step"));
  EXPECT_TRUE(same(checkpoint, numbered(step))) << "a mixture of checkpoints, at step " << step;
  return step;
}

TEST_F(KilledWriter, leaves_a_whole_checkpoint_200_times) {
  const std::string file = path("run.safetensors");
  save_checkpoint(file, numbered(0));
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 20'000);
  int step = 0, interrupted = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int next = step + 1;; ++next) save_checkpoint(file, numbered(next));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    interrupted += names().size() > 1 ? 1 : 0;
    const int reached = step_of(load_checkpoint(file));
    EXPECT_GE(reached, step) << "an older checkpoint came back";
    step = reached;
  }
  EXPECT_GT(step, 0) << "no writer came so far as to write";
  EXPECT_GT(interrupted, kills / 10) << "hardly a writer was killed in the middle";
  RecordProperty("steps", step);
  RecordProperty("interrupted", interrupted);

  save_checkpoint(file, numbered(step + 1));
  EXPECT_EQ(names(), std::vector<std::string>{"run.safetensors"}) << "what the killed left was not removed";
}

}  // namespace
}  // namespace topos::io_tests
