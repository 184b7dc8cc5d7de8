// Programs as deep as they are long: nothing may recurse over the graph, on a thread with a small stack.
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>

#include "topos/differentiate/adjoints.hpp"
#include "topos/emission/emit.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

constexpr std::size_t small_stack = std::size_t{1} << 20;

/// Runs an action on a thread of 1 MiB of stack, and passes on what it throws.
void on_a_small_stack(std::function<void()> action) {
  struct Job {
    std::function<void()> action;
    std::exception_ptr failure;
  } job{std::move(action), nullptr};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, small_stack), 0);
  pthread_t thread;
  const auto entry = [](void* argument) -> void* {
    Job& work = *static_cast<Job*>(argument);
    try {
      work.action();
    } catch (...) {
      work.failure = std::current_exception();
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, entry, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (job.failure) std::rethrow_exception(job.failure);
}

/// y = x; y = y + x, `links` times; the gradient with respect to x recorded.
struct Chain {
  Symbol x;
  Symbol y;
  Adjoints adjoints;
  Network<float> network;
};

Chain chain(std::size_t links) {
  Tape<float> tape;
  const auto x = tape.parameter(Tensor<float>(1.0f));
  Value<float> y = x;
  for (std::size_t i = 0; i < links; ++i) y = y + x;
  const Adjoints adjoints = tape.differentiate(y, {x});
  return {x, y, adjoints, std::move(tape).seal()};
}

/// Counts are exact in f32 up to 2^24.
void expect_exact_value_and_gradient(std::size_t links) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t nodes = 0;
  {
    const Chain deep = chain(links);
    nodes = deep.network.size();
    const Plan<float> plan = deep.network.entry(deep.adjoints.roots()).lower();
    const auto run = plan.forward(deep.network.parameters(), {});
    EXPECT_EQ(run.of(deep.y).item(), static_cast<float>(links + 1));
    EXPECT_EQ(run.of(deep.adjoints.of(deep.x)).item(), static_cast<float>(links + 1));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ::testing::Test::RecordProperty("nodes_per_second_" + std::to_string(links),
                                  std::to_string(static_cast<double>(nodes) / took.count()));
  std::printf("%zu links: %zu nodes recorded, differentiated, lowered, run and destroyed in %.2f s\n", links,
              nodes, took.count());
}

TEST(DeepGraphs, OfAMillionLinksAreExactAndNeedNoStack) {
  on_a_small_stack([] { expect_exact_value_and_gradient(1000000); });
}

TEST(DeepGraphs, TakeTimeInProportion) {
  // Reported, not asserted: the machine may be busy.
  on_a_small_stack([] {
    expect_exact_value_and_gradient(100000);
    expect_exact_value_and_gradient(400000);
  });
}

TEST(DeepGraphs, AreScannedBackwardsByTheEngineToo) {
  on_a_small_stack([] {
    const Chain deep = chain(200000);
    const auto run = deep.network.entry({deep.y}).retain().lower().forward(deep.network.parameters(), {});
    EXPECT_EQ(run.backward(deep.y).of(deep.x).item(), 200001.0f);
  });
}

TEST(DeepGraphs, OfAMillionLinksHaveExactTangents) {
  on_a_small_stack([] {
    Tape<float> tape;
    const auto x = tape.parameter(Tensor<float>(1.0f));
    const auto direction = tape.leaf(Tensor<float>(2.0f));
    Value<float> y = x;
    for (std::size_t i = 0; i < 1000000; ++i) y = y + x;
    const Symbol product = tape.jvp(y, {{x, direction}});
    // Linear: the chain, the scan of it and the scan of that, two rules' nodes a link at most.
    EXPECT_LT(tape.size(), 6000000u);
    const Network<float> network = std::move(tape).seal();
    const auto run = network.entry({product}).lower().forward(network.parameters(), {});
    EXPECT_EQ(run.of(product).item(), 2000002.0f);
  });
}

TEST(DeepGraphs, AreDescribedAndEmitted) {
  on_a_small_stack([] {
    const Chain deep = chain(200000);
    const Plan<float> plan = deep.network.entry({deep.y}).lower();
    EXPECT_NE(plan.describe().find("plan: forward; 200001 of"), std::string::npos);
    const std::string text = emit_stablehlo(plan);
    EXPECT_NE(text.find("%v200000 = stablehlo.add %v199999, "), std::string::npos)
        << text.substr(text.size() - 200);
  });
}

}  // namespace
}  // namespace topos
