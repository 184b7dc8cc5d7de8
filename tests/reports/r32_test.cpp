// One answer: the bits of a plan's results are the same in every call, on every thread, and at every step of
// a training run.
#include <thread>

#include "reports/readings.hpp"
#include "topos/composites/losses.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

using F = Tensor<float>;

Tensor<float> uniform(std::uint64_t seed, const Shape& shape) {
  return Uniform(seed, 1).tensor<float>(shape);
}

F ids(std::uint64_t seed, Extent count, Extent classes) {
  SplitMix64 random(seed);
  std::vector<std::int64_t> indices;
  for (Extent i = 0; i < count; ++i) {
    indices.push_back(static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(classes)));
  }
  return F::selection(std::move(indices), classes);
}

/// Every result of a plan.
std::vector<F> results(const Plan<float>& plan, const Parameters<float>& parameters) {
  const Run<float> run = plan.forward(parameters, {});
  std::vector<F> values;
  for (const Symbol& symbol : plan.results()) values.push_back(run.of(symbol));
  return values;
}

bool equal(const std::vector<F>& a, const std::vector<F>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const F& x, const F& y) { return same_bits(x, y); });
}

/// Runs the plan `calls` times on each of 1, 2, 3, 8 and 16 threads at once, and compares with one run
/// before.
void expect_one_answer(const Network<float>& network, const Symbols& roots, int calls) {
  const Plan<float> plan = network.entry(roots).lower();
  const Parameters<float> parameters = network.parameters();
  const std::vector<F> first = results(plan, parameters);
  for (const std::size_t count : {1, 2, 3, 8, 16}) {
    std::vector<int> differences(count, 0);
    std::vector<std::thread> threads;
    for (int& difference : differences) {
      threads.emplace_back([&, calls] {
        for (int call = 0; call < calls; ++call) difference += !equal(results(plan, parameters), first);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differences, std::vector<int>(count, 0)) << count << " threads";
  }
}

TEST(OneAnswer, for_a_sum_of_a_million) {
  Tape<float> tape;
  const Symbol total = sum(tape.parameter(uniform(1, {1'000'000})));
  expect_one_answer(std::move(tape).seal(), {total}, 2);
}

TEST(OneAnswer, for_a_matrix_product) {
  Tape<float> tape;
  const Symbol product =
      matmul(tape.parameter(uniform(2, {257, 513})), tape.parameter(uniform(3, {513, 129})));
  expect_one_answer(std::move(tape).seal(), {product}, 1);
}

TEST(OneAnswer, for_a_scatter_of_a_hundred_thousand_rows_into_few) {
  Tape<float> tape;
  const Symbol table = scatter(tape.parameter(uniform(4, {100'000})), tape.leaf(ids(5, 100'000, 7)));
  expect_one_answer(std::move(tape).seal(), {table}, 2);
}

/// A character model's training step: three embedded characters, a hidden layer, cross entropy.
struct Step {
  Network<float> network;
  Adjoints adjoints;
};
Step training_step(Extent batch) {
  Tape<float> tape;
  const auto embedding = tape.parameter(uniform(6, {27, 10}));
  const auto hidden = tape.parameter(uniform(7, {30, 20}));
  const auto output = tape.parameter(uniform(8, {20, 27}));
  const auto rows = reshape(gather(embedding, tape.leaf(ids(9, 3 * batch, 27))), {batch, 30});
  const auto loss = cross_entropy(matmul(tanh(matmul(rows, hidden)), output), tape.leaf(ids(10, batch, 27)));
  Adjoints adjoints = tape.differentiate(loss, {embedding, hidden, output});
  return {std::move(tape).seal(), std::move(adjoints)};
}

TEST(OneAnswer, for_a_training_step) {
  const Step step = training_step(32);
  expect_one_answer(step.network, step.adjoints.roots(), 3);
}

TEST(OneAnswer, after_a_thousand_training_steps) {
  const auto train = [] {
    const Step step = training_step(4);
    const Plan<float> plan = step.network.entry(step.adjoints.roots()).lower();
    Parameters<float> parameters = step.network.parameters();
    for (int i = 0; i < 1000; ++i) {
      parameters = parameters.step(plan.forward(parameters, {}).gradients(step.adjoints), sgd(0.1f));
    }
    return parameters.payloads();
  };
  const std::vector<F> alone = train();
  for (const F& tensor : alone) {
    for (const float element : tensor.elements()) ASSERT_TRUE(std::isfinite(element));
  }
  std::vector<std::vector<F>> trained(2);
  std::vector<std::thread> threads;
  for (auto& result : trained) threads.emplace_back([&] { result = train(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : trained) EXPECT_TRUE(equal(result, alone));
}

}  // namespace
}  // namespace topos::reports
