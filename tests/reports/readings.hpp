// One function, read in every way the project has: recorded and interpreted, planned, scanned backwards by
// the engine, and emitted and evaluated by the StableHLO reference interpreter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/required_tool.hpp"
#include "topos/backends/reference_interpreter.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::reports {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

using ElementTypes = ::testing::Types<float, double>;

template <class E>
inline constexpr E infinity = std::numeric_limits<E>::infinity();
template <class E>
inline constexpr E not_a_number = std::numeric_limits<E>::quiet_NaN();

/// A tensor of decimals, each rounded once to the element.
template <class E>
Tensor<E> tensor(Shape shape, const std::vector<double>& elements) {
  std::vector<E> rounded;
  for (const double element : elements) rounded.push_back(static_cast<E>(element));
  return Tensor<E>(std::move(shape), std::move(rounded));
}

/// Equal in shape and in every bit; NaNs are all alike.
template <class E>
::testing::AssertionResult same(const Tensor<E>& actual, const Tensor<E>& expected) {
  if (same_bits(actual, expected)) return ::testing::AssertionSuccess();
  if (actual.volume() > 100) return ::testing::AssertionFailure() << "large tensors differ";
  return ::testing::AssertionFailure()
         << "got " << describe(actual) << " of shape " << describe(actual.shape()) << " instead of "
         << describe(expected) << " of shape " << describe(expected.shape());
}

/// Each element within `relative` of the expected one, which is exact where it is zero, infinite or NaN.
template <class E>
::testing::AssertionResult near(const Tensor<E>& actual, const Tensor<E>& expected, double relative) {
  const Elements<E> a = actual.elements();
  const Elements<E> b = expected.elements();
  bool holds = actual.shape() == expected.shape();
  for (std::size_t i = 0; holds && i < a.size(); ++i) {
    holds = std::isfinite(b[i]) ? std::fabs(double(a[i]) - double(b[i])) <= relative * std::fabs(double(b[i]))
                                : a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  }
  if (holds) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "got " << describe(actual) << " instead of " << describe(expected)
                                       << ", relative tolerance " << relative;
}

/// A few roundings of the element.
template <class E>
constexpr double roundings(int count) {
  return count * static_cast<double>(std::numeric_limits<E>::epsilon());
}

template <class E>
using Function = std::function<Value<E>(const std::vector<Value<E>>&)>;

/// A value and the gradients of its elements' sum with respect to each variable.
template <class E>
struct Reading {
  Tensor<E> value;
  std::vector<Tensor<E>> gradients;
};

/// The function on a tape, its variables parameters, and its gradient.
template <class E>
struct Recording {
  Network<E> network;
  Symbol value;
  Symbol loss;
  Symbols gradients;

  Symbols roots() const {
    Symbols symbols{value};
    symbols.insert(symbols.end(), gradients.begin(), gradients.end());
    return symbols;
  }
  Reading<E> of(const Run<E>& run) const {
    Reading<E> reading{run.of(value), {}};
    for (const Symbol& gradient : gradients) reading.gradients.push_back(run.of(gradient));
    return reading;
  }
};

template <class E>
Recording<E> record(const Function<E>& function, const std::vector<Tensor<E>>& at) {
  Tape<E> tape;
  std::vector<Value<E>> variables;
  for (const Tensor<E>& point : at) variables.push_back(tape.parameter(point));
  const Value<E> value = function(variables);
  const Value<E> loss = sum(value);
  const Adjoints adjoints = tape.differentiate(loss, Symbols(variables.begin(), variables.end()));
  Symbols gradients;
  for (const Adjoints::Pair& pair : adjoints.pairs()) gradients.push_back(pair.gradient);
  return {std::move(tape).seal(), value, loss, std::move(gradients)};
}

template <class E>
::testing::AssertionResult same(const Reading<E>& actual, const Reading<E>& expected) {
  if (auto result = same(actual.value, expected.value); !result) return result << ", the value";
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    if (auto result = same(actual.gradients[i], expected.gradients[i]); !result)
      return result << ", gradient " << i;
  }
  return ::testing::AssertionSuccess();
}

template <class E>
::testing::AssertionResult near(const Reading<E>& actual, const Reading<E>& expected, double relative) {
  if (auto result = near(actual.value, expected.value, relative); !result) return result << ", the value";
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    if (auto result = near(actual.gradients[i], expected.gradients[i], relative); !result) {
      return result << ", gradient " << i;
    }
  }
  return ::testing::AssertionSuccess();
}

/// What the function gives at home. Fails the test unless the interpreted program, the plan, and the engine's
/// reverse scan over either agree to the bit.
template <class E>
Reading<E> evaluate(const Function<E>& function, const std::vector<Tensor<E>>& at) {
  const Recording<E> recording = record(function, at);
  const Parameters<E> parameters = recording.network.parameters();
  const Run<E> interpreted = recording.network.forward(parameters, {});
  const Reading<E> reading = recording.of(interpreted);
  const Plan<E> plan = recording.network.entry(recording.roots()).lower();
  EXPECT_TRUE(same(recording.of(plan.forward(parameters, {})), reading)) << "planned against interpreted";
  const Run<E> retained = recording.network.entry({recording.loss}).retain().lower().forward(parameters, {});
  for (const Run<E>* run : {&interpreted, &retained}) {
    const Gradients<E> scanned = run->backward(recording.loss);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_TRUE(same(scanned.of(parameters.symbol(i)), reading.gradients[i]))
          << "the engine's scan against the recorded gradient, variable " << i;
    }
  }
  return reading;
}

/// The StableHLO reference interpreter, one process for all tests of a program; null where it is not
/// installed.
inline backends::ReferenceInterpreter* reference_interpreter() {
  static const std::unique_ptr<backends::ReferenceInterpreter> tool = [] {
    const auto script = std::filesystem::path(TOPOS_SOURCE_DIR) / "tools" / "eval-stablehlo.py";
    const bool chosen = std::getenv("TOPOS_STABLEHLO_EVALUATOR") != nullptr;
    if (!chosen && (!std::filesystem::exists(script) || !std::filesystem::exists(TOPOS_PYTHON))) {
      return std::unique_ptr<backends::ReferenceInterpreter>();
    }
    return std::make_unique<backends::ReferenceInterpreter>(
        backends::Command{TOPOS_PYTHON, script.string()},
        backends::Process::Options{.call_limit = std::chrono::minutes(5)});
  }();
  return tool.get();
}

/// Tests of what the emitted text means, skipped where nothing can evaluate it.
class EmittedText : public ::testing::Test {
 protected:
  void SetUp() override {
    TOPOS_REQUIRE_TOOL(reference_interpreter(), "no " TOPOS_PYTHON " or no tools/eval-stablehlo.py");
  }
};

template <class E>
backends::Array array(const Tensor<E>& x) {
  const std::span<const Extent> extents = x.shape().extents();
  return backends::Array::of({extents.begin(), extents.end()}, x.elements().span());
}

enum class Evaluator { reference, xla };

/// The plan's results by its text; `arguments` as plan.arguments() lists them.
template <class E>
std::vector<Tensor<E>> evaluate_text(const Plan<E>& plan, const std::vector<Tensor<E>>& arguments,
                                     Evaluator evaluator = Evaluator::reference) {
  std::vector<backends::Array> arrays;
  for (const Tensor<E>& argument : arguments) arrays.push_back(array(argument));
  const std::string text = emit_stablehlo(plan);
  backends::ReferenceInterpreter& tool = *reference_interpreter();
  std::vector<Tensor<E>> results;
  for (const backends::Array& result :
       evaluator == Evaluator::xla ? tool.evaluate_xla(text, arrays) : tool.evaluate(text, arrays)) {
    const std::span<const E> elements = result.values<E>();
    results.emplace_back(Shape(result.extents), std::vector<E>(elements.begin(), elements.end()));
  }
  return results;
}

/// What the function gives abroad.
template <class E>
Reading<E> evaluate_text(const Function<E>& function, const std::vector<Tensor<E>>& at,
                         Evaluator evaluator = Evaluator::reference) {
  const Recording<E> recording = record(function, at);
  const Parameters<E> parameters = recording.network.parameters();
  const Plan<E> plan = recording.network.entry(recording.roots()).lower();
  std::vector<Tensor<E>> arguments;
  for (const Symbol& argument : plan.arguments()) arguments.push_back(parameters.of(argument));
  const std::vector<Tensor<E>> results = evaluate_text(plan, arguments, evaluator);
  const Symbols symbols = plan.results();
  const auto of = [&](const Symbol& symbol) {
    return results[static_cast<std::size_t>(std::find(symbols.begin(), symbols.end(), symbol) -
                                            symbols.begin())];
  };
  Reading<E> reading{of(recording.value), {}};
  for (const Symbol& gradient : recording.gradients) reading.gradients.push_back(of(gradient));
  return reading;
}

}  // namespace topos::reports
