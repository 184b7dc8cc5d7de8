// Depth: nothing recurses over the graph, so a chain of any length fits in a small stack and takes linear
// time.
#include <pthread.h>

#include <ctime>

#include "reports/readings.hpp"

namespace topos::reports {
namespace {

/// Runs `work` on a thread whose stack has 1 MiB (8 under a sanitizer, whose frames are larger).
void on_a_small_stack(std::function<void()> work) {
  constexpr std::size_t stack = std::size_t{is_sanitized ? 8 : 1} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
  pthread_t thread;
  const auto start = [](void* work_of_thread) -> void* {
    (*static_cast<std::function<void()>*>(work_of_thread))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// y = y + x, `depth` times from y = x.
Function<float> additions(int depth) {
  return [depth](const std::vector<Value<float>>& v) {
    Value<float> y = v[0];
    for (int i = 0; i < depth; ++i) y = y + v[0];
    return y;
  };
}

TEST(DeepGraphs, are_recorded_run_differentiated_printed_and_freed_on_a_small_stack) {
  const int depth = 200'000;
  on_a_small_stack([=] {
    const Reading<float> reading = evaluate(additions(depth), {Tensor<float>(1.0f)});
    EXPECT_EQ(reading.value.item(), 200001.0f);
    EXPECT_EQ(reading.gradients[0].item(), 200001.0f);
    const Recording<float> recording = record(additions(depth), {Tensor<float>(1.0f)});
    const Plan<float> plan = recording.network.entry(recording.roots()).lower();
    for (const std::string& text : {recording.network.describe(), plan.describe(), emit_stablehlo(plan)}) {
      EXPECT_GT(std::count(text.begin(), text.end(), '\n'), depth);
    }
  });
}

TEST(DeepGraphs, survive_the_tape_that_held_them) {
  on_a_small_stack([] {
    Tape<float> tape;
    const Value<float> last = additions(200'000)({tape.parameter(Tensor<float>(1.0f))});
    tape = Tape<float>();
    EXPECT_THROW(last.shape(), UsageError);
  });
}

TEST(DeepGraphs, take_linear_time) {
  const auto seconds = [](int depth) {
    const std::clock_t start = std::clock();
    evaluate(additions(depth), {Tensor<float>(1.0f)});
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  seconds(100'000);
  // four times the nodes: a quadratic step would take sixteen times as long; half of that leaves room for
  // noise
  EXPECT_LT(seconds(200'000), 8 * seconds(50'000));
}

class DeepText : public EmittedText {};

TEST_F(DeepText, is_parsed_and_run) {
  const Reading<float> reading = evaluate_text(additions(20'000), {Tensor<float>(1.0f)});
  EXPECT_EQ(reading.value.item(), 20001.0f);
  EXPECT_EQ(reading.gradients[0].item(), 20001.0f);
}

}  // namespace
}  // namespace topos::reports
