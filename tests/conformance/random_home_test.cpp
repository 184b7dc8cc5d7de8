// Random programs at home: every reading of a program gives the same bits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/op_cases.hpp"
#include "support/random_graph.hpp"

namespace topos::testing {
namespace {

constexpr std::uint64_t graphs = 1000;  // of each element type

/// Of every reading of the seed's program.
template <class E>
void expect_equal_bits(bool mixed = false) {
  for (std::uint64_t seed = 0; seed < graphs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph<E> graph = random_graph<E>(seed, suite_options(seed, mixed));
    const Parameters<E> parameters = graph.network.parameters();
    Entry<E> entry = graph.entry();
    const topos::Run<E> interpreted = entry.interpret(parameters, graph.feeds);
    const Plan<E> plan = entry.lower();
    const Plan<E> retaining = entry.retain().lower();
    const topos::Run<E> planned = plan.forward(parameters, graph.feeds);
    const topos::Run<E> retained = retaining.forward(parameters, graph.feeds);
    for (const Symbol& result : plan.results()) {
      EXPECT_TRUE(equal_bits(planned.of(result), interpreted.of(result)))
          << "planned, node " << result.index();
      EXPECT_TRUE(equal_bits(retained.of(result), interpreted.of(result)))
          << "retained, node " << result.index();
    }
    const Gradients<E> scanned = interpreted.backward(graph.loss);
    const Gradients<E> scanned_plan = retained.backward(graph.loss);
    for (const Adjoints::Pair& pair : graph.adjoints.pairs()) {
      const Tensor<E>& recorded = interpreted.of(pair.gradient);
      EXPECT_TRUE(equal_bits(scanned.of(pair.with_respect_to), recorded))
          << "the engine's gradient of node " << pair.with_respect_to.index();
      EXPECT_TRUE(equal_bits(scanned_plan.of(pair.with_respect_to), recorded))
          << "the plan's gradient of node " << pair.with_respect_to.index();
    }
  }
}

template <class E>
class RandomPrograms : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double, Bf16>;
TYPED_TEST_SUITE(RandomPrograms, ElementTypes);

TYPED_TEST(RandomPrograms, plan_and_interpreter_and_both_gradients_give_equal_bits) {
  expect_equal_bits<TypeParam>();
}
TEST(RandomMixedPrograms, plan_and_interpreter_and_both_gradients_give_equal_bits) {
  expect_equal_bits<float>(true);
}

TYPED_TEST(RandomPrograms, are_the_same_for_the_same_seed) {
  using E = TypeParam;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = random_graph<E>(seed, suite_options(seed));
    const auto second = random_graph<E>(seed, suite_options(seed));
    EXPECT_EQ(first.network.describe(), second.network.describe());
    EXPECT_TRUE(
        equal_bits(first.network.forward(first.network.parameters(), first.feeds).of(first.loss),
                   second.network.forward(second.network.parameters(), second.feeds).of(second.loss)));
  }
}

TEST(RandomProgramShapes, every_operation_and_every_kind_of_shape_and_sharing_occurs) {
  std::vector<std::size_t> occurrences(topos::detail::vocabulary().size());
  std::array<std::size_t, 6> ranks{};
  std::size_t empty = 0, ones = 0, largest = 0, repeated = 0, shared = 0, deepest = 0;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const RandomGraph<float> graph = random_graph<float>(seed, suite_options(seed, seed % 4 == 3));
    std::vector<std::size_t> readers(graph.forward_size, 0), depth(graph.forward_size, 0);
    for (NodeIndex index = 0; index < graph.forward_size; ++index) {
      const Node& node = graph.network.graph()[index];
      ++occurrences[node.operation.opcode()];
      ASSERT_LE(node.shape.rank(), 5);
      ++ranks[static_cast<std::size_t>(node.shape.rank())];
      for (const Extent extent : node.shape.extents()) {
        empty += extent == 0;
        ones += extent == 1;
      }
      for (const NodeIndex operand : node.operand_indices()) {
        ++readers[operand];
        depth[index] = std::max(depth[index], depth[operand] + 1);
      }
      repeated += node.operation.arity() == 2 && node.operands[0] == node.operands[1];
      deepest = std::max(deepest, depth[index]);
    }
    for (const std::size_t count : readers) shared += count > 1;
    largest = std::max(largest, graph.forward_size);
  }
  for (std::size_t opcode = 0; opcode < occurrences.size(); ++opcode) {
    EXPECT_GE(occurrences[opcode], 20u) << topos::detail::vocabulary()[opcode]->name;
  }
  for (const std::size_t count : ranks) EXPECT_GE(count, 100u);
  EXPECT_GE(empty, 100u);
  EXPECT_GE(ones, 1000u);
  EXPECT_GE(repeated, 100u);
  EXPECT_GE(shared, 1000u);
  EXPECT_GE(largest, 200u);
  EXPECT_GE(deepest, 150u);
}

/// What a differentiated value is in the graph's runs.
Tensor<double> value_of(const RandomGraph<double>& graph, const Symbol& symbol) {
  for (const Feed<double>& feed : graph.feeds) {
    if (feed.input == symbol) return feed.value;
  }
  return *graph.network.payload(symbol);
}

/// f moved by `step` along `direction`, which has one tensor per differentiated value.
double moved_loss(const RandomGraph<double>& graph, const std::vector<Tensor<double>>& direction,
                  double step) {
  Parameters<double> parameters = graph.network.parameters();
  Feeds<double> feeds;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    const Symbol symbol = graph.adjoints.pairs()[i].with_respect_to;
    const Tensor<double> shift = direction[i] * Tensor<double>::filled(direction[i].shape(), step);
    if (graph.network.graph()[symbol.index()].operation.is<Parameter>()) {
      parameters = parameters.with(symbol, parameters.of(symbol) + shift);
    } else {
      const Tensor<double>& value = value_of(graph, symbol);
      feeds.push_back({symbol, value.as_selection() ? value : value + shift});
    }
  }
  return graph.network.entry({graph.loss}).lower().forward(parameters, feeds).of(graph.loss).item();
}

TEST(RandomGradients, equal_central_differences_where_the_program_is_smooth) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 5000; seed < 5200; ++seed) {
    const RandomGraph<double> graph = random_graph<double>(seed, {.operations = 8, .smooth = true});
    const topos::Run<double> run = graph.entry().interpret(graph.network.parameters(), graph.feeds);
    SplitMix64 random(seed);
    std::vector<Tensor<double>> direction;
    double slope = 0.0, scale = 1.0 + std::fabs(run.of(graph.loss).item());
    for (const Adjoints::Pair& pair : graph.adjoints.pairs()) {
      const Tensor<double>& gradient = run.of(pair.gradient);
      const bool fixed =
          value_of(graph, pair.with_respect_to).as_selection();  // indices cannot move a little
      std::vector<double> elements;
      for (const double g : gradient.elements()) {
        elements.push_back(fixed ? 0.0 : 2.0 * random.unit() - 1.0);
        slope += g * elements.back();
        scale += std::fabs(g);
      }
      direction.emplace_back(gradient.shape(), std::move(elements));
    }
    // Two steps, so that the errors of order step^2 cancel (Richardson); what is left is rounding, 1e-16 f /
    // step, and the fifth derivative times step^4: 1e-11 and less than 1e-8 for moderate programs.
    const auto difference = [&](double step) {
      return (moved_loss(graph, direction, step) - moved_loss(graph, direction, -step)) / (2.0 * step);
    };
    constexpr double step = 1e-4;
    const double expected = (4.0 * difference(step / 2.0) - difference(step)) / 3.0;
    EXPECT_NEAR(slope, expected, 1e-7 * scale) << "seed " << seed << "\n" << graph.network.describe();
    compared += slope != 0.0;
  }
  EXPECT_GE(compared, 150u);
}

}  // namespace
}  // namespace topos::testing
