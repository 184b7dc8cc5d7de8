// Layers against PyTorch: cases of tests/golden/facades, which tools/capture-facades.py writes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/golden.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

/// One case: inputs, and what PyTorch found for an element type.
class Captured {
 public:
  Captured(const std::string& file, const std::string& title)
      : case_(nlohmann::json::parse(golden_text("facades/" + file + ".json")).at("cases").at(title)) {}

  template <class E>
  Tensor<E> input(const std::string& name) const {
    return tensor<E>(case_.at("inputs").at(name));
  }
  std::vector<std::int64_t> ids(const std::string& name) const {
    return case_.at("inputs").at(name).at("elements").get<std::vector<std::int64_t>>();
  }
  template <class E>
  Tensor<E> seed() const {
    return tensor<E>(case_.at("seed"));
  }
  /// "outputs" or "gradients", by name.
  template <class E>
  std::map<std::string, Tensor<E>> results(const std::string& kind) const {
    std::map<std::string, Tensor<E>> found;
    for (const auto& [name, value] : case_.at(sizeof(E) == 4 ? "f32" : "f64").at(kind).items())
      found.emplace(name, tensor<E>(value));
    return found;
  }

 private:
  template <class E>
  static Tensor<E> tensor(const nlohmann::json& value) {
    return Tensor<E>(Shape(value.at("shape").get<std::vector<Extent>>()),
                     value.at("elements").get<std::vector<E>>());
  }

  nlohmann::json case_;
};

/// Each element within a tolerance relative to the largest magnitude of the tensor: 2e-6 in f32, 1e-13 in
/// f64. PyTorch sums in another order and its functions round otherwise, and where terms cancel, only the
/// large ones say how much.
template <class E>
::testing::AssertionResult near_captured(const Tensor<E>& actual, const Tensor<E>& expected) {
  if (actual.shape() != expected.shape()) {
    return ::testing::AssertionFailure()
           << "shape " << describe(actual.shape()) << " instead of " << describe(expected.shape());
  }
  const Elements<E> a = actual.elements();
  const Elements<E> b = expected.elements();
  double largest = 0.0;
  for (const E element : b) largest = std::max(largest, std::fabs(static_cast<double>(element)));
  const double tolerance = (sizeof(E) == 4 ? 2e-6 : 1e-13) * largest;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= tolerance)) {
      return ::testing::AssertionFailure()
             << "element " << i << " of " << describe(actual) << " instead of " << describe(expected);
    }
  }
  return ::testing::AssertionSuccess();
}

/// What a test records of a case: outputs, the seeded one as "output", and the values to differentiate by.
struct Recorded {
  std::map<std::string, Symbol> outputs;
  std::map<std::string, Symbol> inputs;
};

/// Records by `record(tape, case)`, differentiates sum(output * seed), runs, and compares outputs and
/// gradients, whose names must be the case's; the interpreter's bits must be the plan's.
template <class E, class Record>
void expect_captured(const std::string& file, const std::string& title, Record record) {
  SCOPED_TRACE(file + ": " + title);
  const Captured captured(file, title);
  Tape<E> tape;
  const Recorded recorded = record(tape, captured);
  const Value<E> output = tape.resolve(recorded.outputs.at("output"));
  const Value<E> seed = tape.leaf(captured.seed<E>());
  Symbols inputs;
  for (const auto& [name, symbol] : recorded.inputs) inputs.push_back(symbol);
  const Adjoints adjoints = tape.differentiate(sum(output * seed), inputs);
  std::map<std::string, Symbol> gradients;
  for (const auto& [name, symbol] : recorded.inputs) gradients.emplace(name, adjoints.of(symbol));
  Symbols roots = adjoints.roots();
  for (const auto& [name, symbol] : recorded.outputs) roots.push_back(symbol);

  const Network<E> network = std::move(tape).seal();
  const Entry<E> entry = network.entry(roots);
  const Run<E> interpreted = entry.interpret(network.parameters());
  const Run<E> planned = entry.lower().forward(network.parameters());
  const auto compare = [&](const std::string& kind, const std::map<std::string, Symbol>& symbols) {
    const std::map<std::string, Tensor<E>> expected = captured.results<E>(kind);
    ASSERT_EQ(symbols.size(), expected.size()) << kind;
    for (const auto& [name, symbol] : symbols) {
      ASSERT_TRUE(expected.contains(name)) << kind << ": " << name;
      EXPECT_TRUE(near_captured(interpreted.of(symbol), expected.at(name))) << kind << ": " << name;
      EXPECT_TRUE(same_bits(planned.of(symbol), interpreted.of(symbol))) << kind << ": " << name;
    }
  };
  compare("outputs", recorded.outputs);
  compare("gradients", gradients);
}

}  // namespace topos::testing
