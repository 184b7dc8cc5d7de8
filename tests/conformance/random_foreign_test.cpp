// Random programs abroad: the text of a loss, all its gradients and some interior values means the same to
// the StableHLO reference interpreter and to XLA.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "support/foreign.hpp"
#include "support/random_graph.hpp"
#include "topos/backends/xla_server.hpp"

namespace topos::testing {
namespace {

constexpr std::uint64_t shard = 100;
constexpr std::uint64_t shards = 10;

template <class E>
::testing::AssertionResult conformant_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  const RandomGraph<E> graph = random_graph<E>(seed, options);
  const std::string label = fmt::format("seed {} {}{} operations {}", seed, ElementTraits<E>::name,
                                        options.mixed ? " and bf16" : "", options.operations);
  return conformant(graph.entry().lower(), graph.network.parameters(), graph.feeds, {.label = label});
}

/// Odd seeds are f32, even ones f64.
::testing::AssertionResult conformant_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  return seed % 2 == 1 ? conformant_graph<float>(seed, options) : conformant_graph<double>(seed, options);
}

/// A program's first draws are those of a longer one of its seed, so fewer draws make a smaller case.
::testing::AssertionResult smallest_failure(std::uint64_t seed, RandomGraphOptions options,
                                            ::testing::AssertionResult failure) {
  for (std::size_t operations = 1; operations < options.operations; ++operations) {
    options.operations = operations;
    ::testing::AssertionResult smaller = conformant_graph(seed, options);
    if (!smaller) return smaller;
  }
  return failure;
}

class RandomModules : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomModules, mean_the_same_to_both_engines) {
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
  const bool watched = ::isatty(STDOUT_FILENO) == 1;
  for (std::uint64_t seed = GetParam() * shard; seed < (GetParam() + 1) * shard; ++seed) {
    const RandomGraphOptions options = suite_options(seed);
    const ::testing::AssertionResult result = conformant_graph(seed, options);
    if (!result) ADD_FAILURE() << smallest_failure(seed, options, result).message();
    if (watched)
      std::printf("\r%d/%d", static_cast<int>(seed), static_cast<int>(shard * shards)), std::fflush(stdout);
  }
  if (watched) std::printf("\r");
}

INSTANTIATE_TEST_SUITE_P(Shards, RandomModules, ::testing::Range(std::uint64_t{0}, shards));

// Short ones: each rounding is a two hundredth, so that bounds soon allow anything.
template <class E>
void expect_conformant_short_graphs(bool mixed) {
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
  const std::array before{Foreign::instance().witness(engines[0]), Foreign::instance().witness(engines[1])};
  int lacking = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const ::testing::AssertionResult result =
        conformant_graph<E>(seed, {.operations = 1 + seed % 6, .mixed = mixed});
    lacking += !result && lacks_product(result.message());
    EXPECT_TRUE(result || lacks_product(result.message())) << result.message();
  }
  EXPECT_LE(lacking, 5);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    const Witness& after = Foreign::instance().witness(engines[i]);
    const auto since = [&](std::size_t Witness::* count) {
      return static_cast<double>(after.*count - before[i].*count);
    };
    EXPECT_GE(since(&Witness::elements), 1000.0);
    EXPECT_LE(since(&Witness::loose), 0.1 * since(&Witness::elements)) << name(engines[i]);
    EXPECT_LE(since(&Witness::unclaimed), 0.01 * since(&Witness::elements)) << name(engines[i]);
  }
}
TEST(RandomModulesOfBf16, mean_the_same_to_both_engines) { expect_conformant_short_graphs<Bf16>(false); }
TEST(RandomModulesOfF32AndBf16, mean_the_same_to_both_engines) {
  expect_conformant_short_graphs<float>(true);
}

TEST(ResidentServer, computes_random_modules_within_the_same_bounds) {
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
  const backends::XlaServer::Options options{
      .python = {TOPOS_PYTHON},
      .script = std::string(TOPOS_SOURCE_DIR) + "/tools/serve-stablehlo-xla.py",
      .process = {.call_limit = std::chrono::minutes(5)}};
  Witness witness;
  for (const std::uint64_t seed : {31, 33}) {
    const RandomGraph<float> graph = random_graph<float>(seed, {.operations = 15});
    const Parameters<float> parameters = graph.network.parameters();
    const Plan<float> plan = graph.entry().lower();
    const auto run = graph.entry().interpret(parameters, graph.feeds);
    const std::vector<backends::Array> arguments = foreign_arguments(plan, parameters, graph.feeds);
    std::vector<backends::ArrayType> types, result_types;
    for (const backends::Array& argument : arguments) types.push_back(argument.type());
    const Symbols results = plan.results();
    for (const Symbol& result : results) result_types.push_back(foreign_array(run.of(result)).type());
    backends::XlaServer server(options, emit_stablehlo(plan), {}, types, result_types);
    const std::vector<backends::Array> theirs = server.run(arguments);
    const ErrorBounds<float> bounds(plan, run, Engine::xla);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(within_bounds(tensor_of<float>(theirs[i]), run.of(results[i]),
                                bounds.of(results[i].index()), 1.0, "server", witness))
          << "seed " << seed << ", result " << i;
    }
  }
}

}  // namespace
}  // namespace topos::testing
