// The compiled engine gives the interpreter's bits, whatever it compiles and wherever it runs.
#include "topos/plan/engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <thread>

#include "plan/programs.hpp"
#include "support/random_graph.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/normalization.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace topos {
namespace {

using testing::classifier;
using testing::Classifier;
using testing::Machine;
using testing::scattered;
using testing::Setting;
using testing::spread_by;
using testing::tensor_of;

/// Two calls of forward() and two runs of a session against the interpreter; empty when every bit is equal.
template <class E>
std::string difference(Entry<E> entry, const topos::Run<E>& expected, const Parameters<E>& parameters,
                       const Feeds<E>& feeds, const EngineOptions& options) {
  const Plan<E> plan = entry.engine(options).lower();
  const auto once = plan.forward(parameters, feeds);
  const auto again = plan.forward(parameters, feeds);
  Session<E> session = plan.session(parameters);
  session.run(feeds);
  const auto check = [&](const char* where, const Symbol& symbol, const Tensor<E>& found) {
    return same_bits(found, expected.of(symbol)) ? std::string()
                                                 : fmt::format("{}: node {} ({})\n", where, symbol.index(),
                                                               plan.graph()[symbol.index()].operation.name());
  };
  std::string text;
  for (const Symbol& symbol : plan.results()) {
    text += check("first forward", symbol, once.of(symbol));
    text += check("second forward", symbol, again.of(symbol));
    text += check("first run", symbol, tensor_of(session, plan, symbol));
  }
  session.set_parameters(parameters);
  session.run(feeds);
  for (const Symbol& symbol : plan.results())
    text += check("second run", symbol, tensor_of(session, plan, symbol));
  return text;
}

template <class E>
void expect_random_programs(std::uint64_t first, std::uint64_t count, bool mixed = false) {
  Machine machine;
  const std::vector<Setting> settings = testing::settings();
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    const testing::RandomGraph<E> graph = testing::random_graph<E>(seed, testing::suite_options(seed, mixed));
    const Parameters<E> parameters = graph.network.parameters();
    const auto expected = graph.entry().interpret(parameters, graph.feeds);
    for (std::uint64_t k = 0; k < 6; ++k) {
      const Setting& setting = settings[(6 * seed + k) % settings.size()];
      machine.use(setting.threads, setting.instruction_set);
      const std::string found = difference(graph.entry(), expected, parameters, graph.feeds, setting.options);
      EXPECT_EQ(found, "") << "seed " << seed << ", " << setting.describe();
      if (!found.empty()) ++failures;
    }
  }
}

TEST(Engines, GiveTheInterpretersBitsForRandomProgramsOfFloats) { expect_random_programs<float>(0, 500); }
TEST(Engines, GiveTheInterpretersBitsForRandomProgramsOfDoubles) { expect_random_programs<double>(500, 500); }
TEST(Engines, GiveTheInterpretersBitsForRandomProgramsOfFloatsSomeHeldInBf16) {
  expect_random_programs<float>(1000, 500, true);
}

/// Every n-th setting, each with a plan of its own.
template <class E>
void expect_everywhere(const Entry<E>& entry, const Parameters<E>& parameters, const Feeds<E>& feeds,
                       std::size_t every = 1) {
  Machine machine;
  const auto expected = entry.interpret(parameters, feeds);
  const std::vector<Setting> settings = testing::settings();
  for (std::size_t i = 0; i < settings.size(); i += every) {
    machine.use(settings[i].threads, settings[i].instruction_set);
    EXPECT_EQ(difference(entry, expected, parameters, feeds, settings[i].options), "")
        << settings[i].describe();
  }
}

TEST(Engines, GiveTheInterpretersBitsForATrainingStepOfABatchOf256) {
  const Classifier<float> floats = classifier<float>(256);
  expect_everywhere(floats.training(), floats.network.parameters(), floats.feeds(1));
  const Classifier<float> mixed = classifier<float>(256, 27, 8, 48, Precision::bf16);
  expect_everywhere(mixed.training(), mixed.network.parameters(), mixed.feeds(1), 3);
  const Classifier<double> doubles = classifier<double>(256);
  expect_everywhere(doubles.training(), doubles.network.parameters(), doubles.feeds(1), 3);
}

void expect_convolutions(Precision held) {
  Tape<float> tape;
  const auto image = tape.input(spread_by<float>(0.5, {4, 2, 17, 16}, 1));
  const auto first = tape.parameter(spread_by<float>(0.3, {6, 2, 3, 3}, 2));
  const auto first_bias = tape.parameter(spread_by<float>(0.3, {6}, 3));
  const auto second = tape.parameter(spread_by<float>(0.3, {5, 6, 2, 3}, 4));
  const auto second_bias = tape.parameter(spread_by<float>(0.3, {5}, 5));
  const auto convolved = [&](const Value<float>& x, const Value<float>& weights, const Value<float>& bias,
                             Extent stride, Extent dilation) {
    const auto kernel = convert(weights, held);
    return relu(conv2d(x, kernel, convert(bias, held), stride, 1, dilation));
  };
  const auto pooled = max_pool(convolved(convert(image, held), first, first_bias, 1, 1), 2, 2);
  const auto deeper = max_pool(convolved(pooled, second, second_bias, 2, 2), 2, 1);
  const auto loss = sum(deeper * deeper);
  const Adjoints adjoints = tape.differentiate(loss, {first, first_bias, second, second_bias, image});
  const Network<float> network = std::move(tape).seal();
  expect_everywhere(network.entry(adjoints.roots()), network.parameters(), {}, 2);
}

TEST(Engines, GiveTheInterpretersBitsForATrainingStepOfConvolutions) {
  expect_convolutions(Precision::working);
  expect_convolutions(Precision::bf16);
}

TEST(Engines, GiveTheInterpretersBitsForNormsAndAttentionHeldInBf16) {
  Tape<float> tape;
  const auto input = tape.input(scattered<float>(Shape({33, 24}), 1));
  const auto row = tape.parameter(scattered<float>(Shape({24}), 2));
  const auto x = convert<Bf16>(input);
  const auto scale = convert<Bf16>(row);
  const auto normal = layer_norm(x, scale, scale, x.constant(Shape(), 1e-5));
  const auto mask = convert<Bf16>(tape.leaf(causal_mask<float>(33)));
  const auto mixed = masked_attention(normal, x, normal, mask, x.constant(Shape(), 0.2));
  const Adjoints adjoints = tape.differentiate(sum(mixed * gelu(mixed)), {input, row});
  const Network<float> network = std::move(tape).seal();
  expect_everywhere(network.entry(adjoints.roots()).observe({mixed}), network.parameters(), {}, 2);
}

TEST(Engines, GiveTheInterpretersBitsForATrainingStepOfAttention) {
  Tape<double> tape;
  const Extent length = 33, width = 24;
  const auto tokens = tape.input(scattered<double>(Shape({length, width}), 1));
  std::vector<Value<double>> weights;
  Symbols wrt;
  for (std::uint32_t i = 0; i < 3; ++i) {
    weights.push_back(tape.parameter(spread_by<double>(0.2, {width, width}, 2 + i)));
    wrt.push_back(weights.back());
  }
  const auto mask = tape.leaf(causal_mask<double>(length));
  const auto scale = tape.leaf(Tensor<double>(0.2041));
  const auto mixed = scaled_dot_product(matmul(tokens, weights[0]), matmul(tokens, weights[1]),
                                        matmul(tokens, weights[2]), mask, scale);
  const Adjoints adjoints = tape.differentiate(sum(mixed * gelu(mixed)), wrt);
  const Network<double> network = std::move(tape).seal();
  expect_everywhere(network.entry(adjoints.roots()).observe({mixed}), network.parameters(), {});
}

TEST(Engines, GiveTheInterpretersBitsForAChainOf100000Elements) {
  Tape<float> tape;
  const auto x = tape.parameter(scattered<float>(Shape({250, 400}), 1));
  const auto bias = tape.input(scattered<float>(Shape({400}), 2));
  auto y = x + broadcast_along(bias, 0, 250);
  for (int i = 0; i < 3; ++i) y = tanh(y * x) - relu(y) / (exp(x) + softplus(y));
  const auto turned = permute(y, {1, 0});
  const auto mixed = turned * exp(turned);
  const Adjoints adjoints = tape.differentiate(sum(mixed), {x, bias});
  const Network<float> network = std::move(tape).seal();
  expect_everywhere(network.entry(adjoints.roots()).observe({y, mixed}), network.parameters(), {}, 3);
}

TEST(Engines, ComputeWhatDependsOnConstantsAloneOnce) {
  Tape<float> tape;
  const auto x = tape.input(scattered<float>(Shape({3, 4}), 1));
  const auto table = tape.leaf(scattered<float>(Shape({4}), 2));
  const auto ones = tape.leaf(Tensor<float>::filled(Shape({4}), 1.0f));
  const auto weights = exp(table) / (ones + ones);
  const auto y = x * broadcast_along(weights, 0, 3);
  const Network<float> network = std::move(tape).seal();
  const std::string steps = network.entry(y).lower().describe_engine();
  EXPECT_EQ(steps.find("Exp"), std::string::npos) << steps;
  EXPECT_NE(steps.find("Mul"), std::string::npos) << steps;
  expect_everywhere(network.entry(y).observe({weights}), network.parameters(), {});
}

// x + 0 is not computed where no result shows that it turns -0 to +0: each function of it, with the results
// that tell the two apart and those that cannot.
TEST(Engines, AddZeroWhereAResultShowsTheSignOfAZero) {
  using V = Value<float>;
  const auto like = [](const V& x, double element) { return x.constant(x.shape(), element); };
  const std::vector<std::function<V(const V&)>> functions{
      [](const V& x) { return x; },
      [&](const V& x) { return -x; },
      [&](const V& x) { return sqrt(x); },
      [&](const V& x) { return tanh(x); },
      [&](const V& x) { return exp(x); },
      [&](const V& x) { return cos(x); },
      [&](const V& x) { return log1p(x); },
      [&](const V& x) { return erf(x); },
      [&](const V& x) { return x * x; },
      [&](const V& x) { return x * like(x, -1e-30) * like(x, 1e-30); },
      [&](const V& x) { return x - x; },
      [&](const V& x) { return like(x, -0.0) - x; },
      [&](const V& x) { return x / like(x, 3); },
      [&](const V& x) { return like(x, 3) / x; },
      [&](const V& x) { return pow(x, like(x, -1)); },
      [&](const V& x) { return maximum(x, -x); },
      [&](const V& x) { return step(x, like(x, -0.0)); },
      [&](const V& x) { return x + like(x, -0.0); },
      [&](const V& x) { return permute(reshape(x, Shape({3, 2})), {1, 0}); },
      [&](const V& x) { return sum_along(broadcast_along(x, 1, 3), 1); },
      [&](const V& x) {
        return matmul(reshape(x, Shape({3, 2})),
                      x.leaf(Tensor<float>({2, 1}, {1e-20f, 1e-20f})));  // a product underflows to -0
      },
      [&](const V& x) { return log_softmax(reshape(x, Shape({3, 2})), 1); },
  };
  for (std::size_t f = 0; f < functions.size(); ++f) {
    Tape<float> tape;
    const V x = tape.input(Tensor<float>({6}, {-1e-40f, -0.0f, -1e-40f, 0.0f, 2.0f, -0.0f}));
    const V zero = like(x, 0);
    const V value = functions[f](zero + x);
    const V other = functions[f](x + zero);
    const V shown = other + like(other, -0.0);
    const V inverse = like(value, 1) / value;
    const V again = functions[f](zero + x * like(x, 1.5));
    const V hidden = like(again, 0) + again;
    const V total = sum(functions[f](zero + x * like(x, 2.5)));
    const Network<float> network = std::move(tape).seal();
    for (const Symbols& roots : {Symbols{value}, Symbols{shown}, Symbols{inverse}, Symbols{hidden},
                                 Symbols{total}, Symbols{value, inverse, hidden, total}}) {
      const auto expected = network.entry(roots).interpret(network.parameters(), {});
      EXPECT_EQ(difference(network.entry(roots), expected, network.parameters(), {}, EngineOptions{}), "")
          << "function " << f;
    }
  }
}

TEST(Engines, GiveARowOfABatchTheBitsItHasAlone) {
  const Extent batch = 37;
  const Classifier<float> together = classifier<float>(batch);
  const Classifier<float> alone = classifier<float>(1);
  Machine machine;
  for (const std::size_t threads : {1, 3}) {
    machine.use(threads, std::nullopt);
    const Feeds<float> feeds = together.feeds(5);
    const auto batched =
        together.network.entry(together.logits).lower().forward(together.network.parameters(), feeds);
    const Plan<float> plan = alone.network.entry(alone.logits).lower();
    Session<float> session = plan.session(alone.network.parameters());
    const Tensor<float> logits = batched.of(together.logits);
    const auto characters = feeds[0].value.as_selection()->indices;
    for (Extent row = 0; row < batch; ++row) {
      const auto at = static_cast<std::size_t>(3 * row);
      session.run({{alone.characters,
                    Tensor<float>::selection({characters[at], characters[at + 1], characters[at + 2]}, 27)}});
      EXPECT_TRUE(same_bits(tensor_of(session, plan, alone.logits), logits.narrowed(0, row, 1))) << row;
    }
  }
}

#if defined(__SSE__)
TEST(Engines, KeepSubnormalsOnAThreadThatFlushesThemAndGiveItsModesBack) {
  constexpr unsigned flush_and_zero = 0x8040;
  Tape<float> tape;
  const auto x = tape.parameter(Tensor<float>::filled({64, 64}, 1e-30f));
  const auto scale = tape.parameter(spread_by<float>(1e-10, {64, 64}, 2));
  const auto product = matmul(x, scale);
  const auto tiny = x * scale;
  const auto total = sum(tiny);
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> parameters = network.parameters();
  Entry<float> entry = network.entry({product, tiny, total});
  const auto expected = entry.interpret(parameters);
  EXPECT_EQ(std::fpclassify(expected.of(tiny).elements()[0]), FP_SUBNORMAL);
  Machine machine;
  for (const std::size_t threads : {1, 3}) {
    machine.use(threads, std::nullopt);
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | flush_and_zero);
    const std::string found = difference(entry, expected, parameters, {}, {});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(found, "");
    EXPECT_EQ(after & 0xFFC0u, (saved | flush_and_zero) & 0xFFC0u);
  }
}
#endif

TEST(Engines, ServeManyThreadsAtOnce) {
  const Machine machine(2, std::nullopt);
  const Classifier<float> program = classifier<float>(32);
  const Parameters<float> parameters = program.network.parameters();
  const Plan<float> plan = program.training().lower();  // the first calls compile it, all at once
  std::vector<topos::Run<float>> expected;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    expected.push_back(program.training().interpret(parameters, program.feeds(seed)));
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      const Feeds<float> feeds = program.feeds(seed);
      Session<float> session = plan.session(parameters);
      for (int i = 0; i < 25; ++i) {
        const auto run = plan.forward(parameters, feeds);
        session.set_parameters(parameters);
        session.run(feeds);
        for (const Symbol& symbol : plan.results()) {
          const Tensor<float>& want = expected[seed].of(symbol);
          if (!same_bits(run.of(symbol), want) || !same_bits(tensor_of(session, plan, symbol), want))
            ++wrong[seed];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(Engines, DescribeTheirGroupsBuffersAndKernels) {
  const Machine machine(1, "scalar");
  Tape<float> tape;
  const auto x = tape.input(scattered<float>(Shape({4, 8}), 1));
  const auto weights = tape.parameter(scattered<float>(Shape({8, 6}), 2));
  const auto bias = tape.parameter(scattered<float>(Shape({6}), 3));
  const auto product = matmul(x, weights);
  const auto hidden = tanh(product + broadcast_along(bias, 0, 4));
  const auto normalized = log_softmax(hidden, 1);
  const auto total = sum(normalized * normalized);
  const Network<float> network = std::move(tape).seal();
  const std::string text = network.entry(total).lower().describe_engine();
  for (const std::string& part :
       {std::string("steps (scalar, 1 threads):"), std::string("gemm f32 "),
        std::string(" scalar: 1 x [4, 8] [8, 6], b0 b1 + b2 ->"),
        std::string("elementwise [4, 6] in tiles of"), fmt::format("%{} = Tanh b", hidden.symbol().index()),
        std::string("log_softmax [4, 6, 1]: b"), std::string("= sums of 24 of %"),
        std::string("in place of b"), std::string("arena: "), std::string("parameter, 48 elements"),
        std::string("input, 32 elements"), fmt::format("%{} result, 1 elements", total.symbol().index())})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

// Operands that repeat long and short runs, nodes that compute what another one did, and threads that share
// it.
TEST(Engines, GiveTheInterpretersBitsForWhatRepeats) {
  Tape<float> tape;
  const auto x = tape.parameter(spread_by<float>(2, {6, 64, 64}, 1));
  const auto mask = tape.input(spread_by<float>(1, {64, 64}, 2));
  const auto row = tape.input(spread_by<float>(1, Shape({64}), 3));
  const auto column = tape.input(spread_by<float>(1, {6, 64}, 4));
  const auto masked = x * broadcast_along(mask, 0, 6);
  const auto again = x * broadcast_along(mask, 0, 6);
  const auto growth = exp(masked);
  const auto divided = growth / broadcast_along(column, 2, 64);
  const auto same_growth = exp(again);
  const auto rows = same_growth + broadcast_along(broadcast_along(row, 0, 64), 0, 6);
  const Symbols results{divided, rows, sum(masked * again),
                        growth * same_growth / broadcast_along(mask, 0, 6)};
  const Network<float> network = std::move(tape).seal();
  const auto expected = network.entry(results).interpret(network.parameters());
  Machine machine;
  for (const std::size_t threads : {1, 2, 3, 8}) {
    machine.use(threads, std::nullopt);
    EXPECT_EQ(difference(network.entry(results), expected, network.parameters(), {}, EngineOptions{}), "");
  }
  const std::string steps = network.entry(results).lower().describe_engine();
  const std::string exponential = " = Exp ";
  EXPECT_EQ(steps.find(exponential), steps.rfind(exponential)) << "computed once:\n" << steps;
}

// A row that is added to each row of a product, by the product's own step or not.
TEST(Engines, GiveTheInterpretersBitsForProductsAndWhatIsAddedToThem) {
  for (const bool in_step : {true, false}) {
    Tape<float> tape;
    const auto a = tape.parameter(spread_by<float>(1, {3, 5, 7}, 1));
    const auto b = tape.parameter(spread_by<float>(1, {3, 7, 18}, 2));
    const auto bias = tape.input(spread_by<float>(1, {3, 18}, 3));
    const auto product = matmul(a, b);
    const auto spread = broadcast_along(bias, 1, 5);
    const auto left = spread + product;
    const auto flat = matmul(reshape(a, Shape({15, 7})), reshape(narrow(b, 0, 1, 1), Shape({7, 18})));
    const auto row = reshape(narrow(bias, 0, 2, 1), Shape({18}));
    const auto right = flat + broadcast_along(in_step ? row : exp(row), 0, 15);
    const auto transposed = matmul(permute(b, {0, 2, 1}), permute(a, {0, 2, 1}));
    const auto column = transposed + broadcast_along(bias, 2, 5);
    Symbols results{sum(left * left), tanh(right), column};
    if (!in_step) results.push_back(product);
    const Network<float> network = std::move(tape).seal();
    const auto expected = network.entry(results).interpret(network.parameters());
    EXPECT_EQ(difference(network.entry(results), expected, network.parameters(), {}, EngineOptions{}), "");
    const std::string steps = network.entry(results).lower().describe_engine();
    EXPECT_EQ(steps.find("3 x [5, 7] [7, 18], b0 b1 + b2 ->") != std::string::npos, in_step) << steps;
    EXPECT_EQ(steps.find("1 x [15, 7] [7, 18], b0 b1 + b2 ->") != std::string::npos, in_step) << steps;
    EXPECT_NE(steps.find("3 x [18, 7] [7, 5], b1 b0 ->"), std::string::npos) << steps;
  }
}

TEST(Engines, ComputeAloneWhatTheyMayNotFuse) {
  const Machine machine(1, "scalar");
  Tape<float> tape;
  const auto x = tape.input(scattered<float>(Shape({4, 8}), 1));
  const auto y = exp(tanh(x * x));
  const Network<float> network = std::move(tape).seal();
  const auto groups = [&](bool fuse) {
    const std::string text = network.entry(y).engine({.fuse = fuse}).lower().describe_engine();
    int count = 0;
    for (std::size_t at = 0; (at = text.find("elementwise", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(groups(true), 1);
  EXPECT_EQ(groups(false), 3);
}

}  // namespace
}  // namespace topos
