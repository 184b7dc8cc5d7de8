// What is computed of a selection without its matrix, and sums made where their operands are: the
// interpreter's bits, whether a selection is fed or a matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/programs.hpp"
#include "topos/composites/losses.hpp"

namespace topos {
namespace {

using testing::classes;
using testing::Setting;
using testing::spread_by;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The results' bits under many settings; the compiled steps of the default one.
template <class E>
std::string expect_the_interpreters_bits(const Network<E>& network, const Symbols& results,
                                         const Feeds<E>& feeds) {
  testing::expect_the_interpreters_bits<E>(network, results, feeds, 7, [](const Plan<E>&, const Setting&) {});
  return network.entry(results).lower().describe_engine();
}

/// The same elements without the knowledge that they are a selection.
template <class E>
Tensor<E> as_matrix(const Tensor<E>& selection) {
  const Elements<E> elements = selection.elements();
  return Tensor<E>(selection.shape(), std::vector<E>(elements.begin(), elements.end()));
}

/// cross_entropy, its gradient and the log-probabilities, of targets that are a selection, its matrix and
/// weights.
template <class E>
void expect_cross_entropys_bits(const Tensor<E>& logits) {
  SCOPED_TRACE(topos::describe(logits.shape()));
  const Extent rows = logits.shape()[0], count = logits.shape()[1];
  Tape<E> tape;
  const Value<E> x = tape.parameter(logits);
  const Value<E> targets = tape.input(Tensor<E>::filled(logits.shape(), E{0}));
  const Value<E> loss = cross_entropy(x, targets);
  const Adjoints adjoints = tape.differentiate(loss, {x});
  const Value<E> log_probabilities = log_softmax(x, 1);
  const Value<E> known = cross_entropy(x, tape.leaf(classes<E>(rows, count, 9)));
  const Network<E> network = std::move(tape).seal();
  const Tensor<E> selection = classes<E>(rows, count, 3);
  for (const Tensor<E>& fed : {selection, as_matrix(selection), spread_by<E>(1, logits.shape(), 5)}) {
    const Feeds<E> feeds{{targets, fed}};
    const std::string steps = expect_the_interpreters_bits(network, {loss}, feeds);
    EXPECT_EQ(steps.find("(may be a selection) * log_softmax [") != std::string::npos, count <= 4096);
    expect_the_interpreters_bits(network, adjoints.roots(), feeds);
    Symbols all = adjoints.roots();
    all.insert(all.end(), {loss, log_probabilities, known});
    expect_the_interpreters_bits(network, all, feeds);
  }
}

TEST(SelectionSteps, GiveTheInterpretersBitsForCrossEntropies) {
  for (const auto& [rows, count] :
       {std::pair<Extent, Extent>{1, 1}, {3, 5}, {64, 27}, {100, 200}, {40, 1000}, {2, 4097}}) {
    expect_cross_entropys_bits(spread_by<float>(5, Shape({rows, count}), 1));
    expect_cross_entropys_bits(spread_by<double>(5, Shape({rows, count}), 1));
  }
}

TEST(SelectionSteps, GiveTheInterpretersBitsWhereProductsWithZeroAreNoZeros) {
  for (const float strange : {-infinity, infinity, std::nanf(""), 3e38f, -3e38f, -0.0f}) {
    for (const std::size_t place : {0, 6, 13, 24}) {
      std::vector<float> elements(25);
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = std::sin(static_cast<float>(i));
      elements[place] = strange;
      elements[24 - place] = place == 6 ? -strange : elements[24 - place];
      expect_cross_entropys_bits(Tensor<float>(Shape({5, 5}), std::move(elements)));
    }
  }
}

// Enough elements for threads to share, lines that end within a tile, and groups that compute again what an
// earlier one did.
TEST(SelectionSteps, GiveTheInterpretersBitsForSumsOfGroups) {
  for (const auto& [rows, count] :
       {std::pair<Extent, Extent>{7, 3}, {200, 100}, {150, 513}, {30, 4096}, {9, 5000}}) {
    SCOPED_TRACE(fmt::format("{} x {}", rows, count));
    Tape<float> tape;
    const Shape shape({rows, count});
    const auto x = tape.parameter(spread_by<float>(3, shape, 1));
    const auto targets = tape.input(Tensor<float>::filled(shape, 0.0f));
    const auto scale = tape.input(Tensor<float>(0.3f));
    const auto scaled = broadcast(scale, shape) * targets;
    const auto ones = sum_along(scaled, 1);
    const auto squares = x * x;
    const auto exponentials = exp(x) * broadcast_along(ones, 1, count);
    const auto last = scaled - exponentials;
    const Symbols results{sum(squares), sum_along(squares, 1),    sum_along(squares, 0), sum(targets),
                          last,         sum(last * exponentials), sum_along(targets, 1)};
    const Network<float> network = std::move(tape).seal();
    const Tensor<float> selection = classes<float>(rows, count, 4);
    for (const Tensor<float>& fed : {selection, as_matrix(selection), spread_by<float>(1, shape, 5)}) {
      const std::string steps = expect_the_interpreters_bits(network, results, {{targets, fed}});
      EXPECT_NE(steps.find(fmt::format("= sums of {} of %", rows * count)), std::string::npos) << steps;
      EXPECT_NE(steps.find(fmt::format("sum of {}: b", rows * count)), std::string::npos) << steps;
    }
  }
}

// A number times a selection: each row's sum is the number, unless its product with zero is none.
template <class E>
void expect_row_sums_bits(Extent rows, Extent count) {
  SCOPED_TRACE(fmt::format("{} x {}", rows, count));
  const Shape shape({rows, count});
  Tape<E> tape;
  const Value<E> targets = tape.input(Tensor<E>::filled(shape, E{0}));
  const Value<E> scale = tape.input(Tensor<E>(E{1}));
  const Value<E> left = broadcast(scale, shape) * targets, right = targets * broadcast(scale, shape);
  const Value<E> sums = sum_along(left, 1);
  const Symbols results{sums, sum_along(right, 1)};
  const Symbols with_products{sums, left, right, sum_along(right, 0)};
  const Network<E> network = std::move(tape).seal();
  const Tensor<E> selection = classes<E>(rows, count, 4);
  for (const E factor : {E{-2.5}, E{0}, E{-0.0}, E{infinity}, std::numeric_limits<E>::quiet_NaN()}) {
    for (const Tensor<E>& fed : {selection, as_matrix(selection), spread_by<E>(1, shape, 5)}) {
      const Feeds<E> feeds{{targets, fed}, {scale, Tensor<E>(factor)}};
      const std::string steps = expect_the_interpreters_bits(network, results, feeds);
      EXPECT_EQ(steps.find("(may be a selection) -> b") != std::string::npos, count <= 4096) << steps;
      EXPECT_EQ(steps.find(": nothing, other steps do it") != std::string::npos, count <= 4096) << steps;
      expect_the_interpreters_bits(network, with_products, feeds);
    }
  }
}

TEST(SelectionSteps, GiveTheInterpretersBitsForRowSumsOfAFactorTimesASelection) {
  for (const auto& [rows, count] :
       {std::pair<Extent, Extent>{3, 2}, {5, 7}, {90, 1000}, {2, 4096}, {2, 4097}}) {
    expect_row_sums_bits<float>(rows, count);
    expect_row_sums_bits<double>(rows, count);
  }
}

TEST(SelectionSteps, ReadASelectionAsAMatrixWhereOnlyThatWillDo) {
  Tape<float> tape;
  const auto targets = tape.input(classes<float>(6, 4, 1));
  const auto table = tape.parameter(spread_by<float>(1, {4, 3}, 2));
  const Symbols results{matmul(targets, table),
                        gather(table, targets),
                        sum(targets),
                        targets * targets,
                        sum(narrow(targets, 0, 1, 3)),
                        permute(targets, {1, 0}) * permute(targets, {1, 0}),
                        sum(targets * targets)};
  const Network<float> network = std::move(tape).seal();
  expect_the_interpreters_bits(network, results, {});
  expect_the_interpreters_bits(network, results, {{targets, classes<float>(6, 4, 2)}});
  expect_the_interpreters_bits(network, results, {{targets, as_matrix(classes<float>(6, 4, 2))}});
}

}  // namespace
}  // namespace topos
