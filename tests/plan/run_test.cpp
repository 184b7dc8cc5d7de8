// Runs: what may be read, backwards scans, threads and memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "support/op_cases.hpp"
#include "support/refusal.hpp"
#include "topos/composites/activations.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

using testing::refusal;

using T = Tensor<float>;
using testing::equal_bits;
using testing::scattered;

/// A layer with its loss and recorded gradient.
struct Layer {
  Symbol weights, input, product, hidden, loss;
  Adjoints adjoints;
  Network<float> network;
};

Layer layer(Extent width) {
  Tape<float> tape;
  const auto weights = tape.parameter(scattered<float>(Shape({width, width}), 1));
  const auto input = tape.input(scattered<float>(Shape({4, width}), 2));
  const auto product = matmul(input, weights);
  const auto hidden = tanh(product);
  const auto loss = sum(hidden * hidden);
  const Adjoints adjoints = tape.differentiate(loss, {weights});
  return {weights, input, product, hidden, loss, adjoints, std::move(tape).seal()};
}

TEST(Runs, OfAPlanAnswerWhatWasDeclaredAndNothingElse) {
  const Layer program = layer(3);
  const Parameters<float> parameters = program.network.parameters();
  for (const bool retain : {false, true}) {
    Entry<float> entry = program.network.entry({program.loss}).observe({program.hidden});
    if (retain) entry.retain();
    const auto run = entry.lower().forward(parameters, {});
    run.of(program.loss);
    run.of(program.hidden);
    for (const Symbol& undeclared :
         {program.weights, program.input, program.product, program.adjoints.of(program.weights)}) {
      const std::string message = refusal([&] { run.of(undeclared); });
      EXPECT_NE(message.find("this run did not keep the value of node " + std::to_string(undeclared.index())),
                std::string::npos)
          << message;
    }
    EXPECT_NE(refusal([&] { run.gradients(program.adjoints); }).find("did not keep"), std::string::npos);
  }
}

TEST(Runs, ThatWereInterpretedAnswerEveryNodeTheyEvaluated) {
  const Layer program = layer(3);
  const auto run = program.network.entry({program.loss}).interpret(program.network.parameters(), {});
  run.of(program.weights);
  run.of(program.product);
  EXPECT_NE(refusal([&] { run.of(program.adjoints.of(program.weights)); }).find("did not keep"),
            std::string::npos);
  const auto whole = program.network.forward(program.network.parameters(), {});
  for (NodeIndex index = 0; index < program.network.size(); ++index)
    whole.of(program.network.graph().symbol(index));
}

TEST(Runs, AreScannedBackwardsOnlyWhenTheyKeptWhatTheScanReads) {
  const Layer program = layer(3);
  const Parameters<float> parameters = program.network.parameters();
  const auto forward = program.network.entry({program.loss}).lower().forward(parameters, {});
  EXPECT_EQ(
      refusal([&] { forward.backward(program.loss); }),
      "this run kept only its results: interpret the entry, or lower it with retain(), to scan it backwards");
  const auto retained = program.network.entry({program.loss}).retain().lower().forward(parameters, {});
  const auto interpreted = program.network.forward(parameters, {});
  EXPECT_TRUE(equal_bits(retained.backward(program.loss).of(program.weights),
                         interpreted.of(program.adjoints.of(program.weights))));
  // The target too has to be declared.
  const auto other = program.network.entry({program.hidden}).retain().lower().forward(parameters, {});
  EXPECT_NE(refusal([&] { other.backward(program.loss); }).find("did not keep"), std::string::npos);
}

TEST(Runs, GiveParametersTheirGradientsForAStep) {
  const Layer program = layer(3);
  const Plan<float> plan = program.network.entry(program.adjoints.roots()).lower();
  Parameters<float> parameters = program.network.parameters();
  float previous = std::numeric_limits<float>::infinity();
  for (int step = 0; step < 20; ++step) {
    const auto run = plan.forward(parameters, {});
    EXPECT_LT(run.of(program.loss).item(), previous);
    previous = run.of(program.loss).item();
    parameters = parameters.step(run.gradients(program.adjoints), sgd(0.01f));
  }
}

TEST(Plans, OutliveTheirNetworkAndGiveTheSameBits) {
  std::optional<Plan<float>> plan;
  std::optional<Parameters<float>> parameters;
  std::optional<Symbol> loss;
  {
    const Layer program = layer(5);
    plan = program.network.entry({program.loss}).lower();
    parameters = program.network.parameters();
    loss = program.loss;
  }
  const Plan<float> copy = *plan;
  EXPECT_TRUE(equal_bits(copy.forward(*parameters, {}).of(*loss), plan->forward(*parameters, {}).of(*loss)));
}

TEST(Plans, GiveFourThreadsAtOnceTheSameBits) {
  const Layer program = layer(24);
  const Plan<float> plan = program.network.entry(program.adjoints.roots()).observe({program.hidden}).lower();
  const Parameters<float> parameters = program.network.parameters();
  const auto expected = plan.forward(parameters, {});
  std::vector<int> different(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < different.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto run = plan.forward(parameters, {{program.input, scattered<float>(Shape({4, 24}), 2)}});
        for (const Symbol& result : plan.results())
          different[t] += !same_bits(run.of(result), expected.of(result));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(4, 0));
}

/// Resident memory in bytes.
std::int64_t resident() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t pages = 0;
  statm >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_freed_memory = true;
#elif defined(__has_feature)
constexpr bool keeps_freed_memory = __has_feature(address_sanitizer);
#else
constexpr bool keeps_freed_memory = false;
#endif

constexpr std::int64_t allowed_growth = std::int64_t{2} << 20;

/// Resident memory may grow by less than 2 MiB from the first tenth of the rounds to the last.
void expect_no_growth(int rounds, const std::function<void()>& action) {
  if (keeps_freed_memory) {
    for (int round = 0; round < 20; ++round) action();
    GTEST_SKIP() << "AddressSanitizer keeps freed memory: twenty rounds were run for its leak check instead";
  }
  std::int64_t after_the_first = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 10) after_the_first = resident();
    action();
  }
  EXPECT_LT(resident() - after_the_first, allowed_growth);
}

TEST(Memory, DoesNotGrowWithProgramsRecordedDifferentiatedRunAndDropped) {
  const auto once = [] {
    Tape<float> tape;
    const auto weights = tape.parameter(scattered<float>(Shape({64, 64})));
    const auto hidden = tanh(matmul(weights, tape.input(scattered<float>(Shape({64, 1})))));
    const Adjoints first = tape.differentiate(sum(hidden * hidden), {weights});
    const auto along = sum(tape.resolve(first.of(weights)) * tape.leaf(scattered<float>(Shape({64, 64}), 5)));
    const Adjoints second = tape.differentiate(along, {weights});
    const Network<float> network = std::move(tape).seal();
    const auto run =
        network.entry({first.of(weights), second.of(weights)}).lower().forward(network.parameters(), {});
    EXPECT_EQ(run.of(second.of(weights)).volume(), 64 * 64);
  };
  expect_no_growth(5000, once);
}

TEST(Memory, DoesNotGrowWithRunsOfOnePlan) {
  const Layer program = layer(16);
  const Plan<float> plan = program.network.entry(program.adjoints.roots()).lower();
  Parameters<float> parameters = program.network.parameters();
  const auto once = [&] {
    const auto run = plan.forward(parameters, {});
    parameters = parameters.step(run.gradients(program.adjoints), sgd(1e-4f));
  };
  expect_no_growth(5000, once);
}

TEST(Memory, DoesNotGrowWithReverseScans) {
  const Layer program = layer(16);
  const Plan<float> plan = program.network.entry({program.loss}).retain().lower();
  const Parameters<float> parameters = program.network.parameters();
  const auto once = [&] { plan.forward(parameters, {}).backward(program.loss).of(program.weights); };
  expect_no_growth(2000, once);
}

}  // namespace
}  // namespace topos
