// Other engines as witnesses: a plan's text is parsed, executed by the StableHLO reference interpreter and by
// XLA, and compared with the plan's own results, element by element.
//
//     TEST(MyModule, means_the_same_abroad) {
//       ...
//       expect_conformant(plan, parameters, feeds);
//     }
//
// One process of each tool serves a whole test program. What the environment may choose:
//     TOPOS_STABLEHLO_EVALUATOR   the interpreter's command (default: tools/eval-stablehlo.py)
//     TOPOS_STABLEHLO_VALIDATOR   a further parser, run on every module as `command module.mlir`
//     TOPOS_PJRT_PLUGIN           XLA, or another compiler's plugin; without any, XLA through the evaluator
//     TOPOS_XLA_PYTHON            the Python of the evaluator, and of tools/serve-stablehlo-xla.py
// Without a tool a test is skipped with the reason; where CI=true it fails instead.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // setenv

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/envelope.hpp"
#include "support/required_tool.hpp"
#include "topos/backends/pjrt.hpp"
#include "topos/backends/reference_interpreter.hpp"
#include "topos/backends/temporary_directory.hpp"
#include "topos/base/error.hpp"
#include "topos/emission/emit.hpp"
#include "topos/tensor/text.hpp"

namespace topos::testing {

inline constexpr std::array engines{Engine::interpreter, Engine::xla};
inline std::string_view name(Engine engine) {
  return engine == Engine::xla ? "XLA" : "the reference interpreter";
}

/// What was compared with one engine so far, in this program.
struct Witness {
  std::size_t modules = 0;
  std::size_t elements = 0;
  std::size_t exact = 0;  ///< elements whose bound was zero
  std::size_t loose = 0;  ///< elements whose bound exceeded a thousandth of their tensor's size, in programs
                          ///< with bf16 an eighth
  std::size_t unclaimed = 0;  ///< elements without a finite bound
  double largest = 0.0;       ///< the largest used fraction of a bound
  std::string where_largest;
  double seconds = 0.0;
};

/// The tools of this program.
class Foreign {
 public:
  static Foreign& instance() {
    static Foreign tools;
    return tools;
  }

  /// Why the engine cannot be asked; empty when it can.
  const std::string& missing(Engine engine) const { return missing_[static_cast<std::size_t>(engine)]; }
  Witness& witness(Engine engine) { return witnesses_[static_cast<std::size_t>(engine)]; }
  /// "XLA: cpu, ..." for reports.
  std::string describe(Engine engine) const {
    if (engine == Engine::interpreter || !client_) return "through " + backends::describe(command());
    return client_->description();
  }

  /// The module's results by an engine that is not missing. Throws EnvironmentError with its complaint.
  std::vector<backends::Array> evaluate(Engine engine, std::string_view module,
                                        std::span<const backends::Array> arguments) {
    if (engine == Engine::interpreter) return interpreter_->evaluate(module, arguments);
    if (client_) return client_->compile(module).run(arguments);
    return interpreter_->evaluate_xla(module, arguments);
  }

  /// Throws EnvironmentError unless every parser takes the module.
  void parse(std::string_view module) {
    if (interpreter_) interpreter_->parse(module);
    const backends::Command validator = backends::command_from_environment("TOPOS_STABLEHLO_VALIDATOR", {});
    if (validator.empty()) return;
    const backends::TemporaryDirectory directory;
    backends::Command words = validator;
    words.push_back(directory.write("module.mlir", std::array{module}).string());
    backends::Process process(words);
    process.close_input();
    const int status = process.wait();
    if (status == 0) return;
    throw EnvironmentError(
        fmt::format("`{}` gave exit status {}: {}", backends::describe(words), status, process.error_tail()));
  }

 private:
  Foreign() {
    const std::string script = std::string(TOPOS_SOURCE_DIR) + "/tools/eval-stablehlo.py";
    const bool chosen = std::getenv("TOPOS_STABLEHLO_EVALUATOR") != nullptr;
    const std::string python = command().front();
    if (chosen || (std::filesystem::exists(script) &&
                   (python.find('/') == std::string::npos || std::filesystem::exists(python)))) {
      try {
        interpreter_ = std::make_unique<backends::ReferenceInterpreter>(
            command(), backends::Process::Options{.call_limit = std::chrono::minutes(5)});
        interpreter_->parse("module {}");
      } catch (const EnvironmentError& error) {
        interpreter_.reset();
        missing_[0] = error.what();
      }
    } else {
      missing_[0] = "no " + python + " or no " + script + "; run script/bootstrap";
    }
    // The plugin of 2026 folds gather(constant) + constant into the transposed sum; and what is folded is not
    // compiled, which is what a test wants to see. XLA reads this once, when it is loaded.
    ::setenv("XLA_FLAGS", "--xla_disable_hlo_passes=constant_folding", 0);
    try {
      const std::filesystem::path plugin = backends::pjrt::Client::default_plugin();
      if (std::getenv("TOPOS_PJRT_PLUGIN") || std::filesystem::exists(plugin)) client_.emplace(plugin);
    } catch (const EnvironmentError& error) {
      if (std::getenv("TOPOS_PJRT_PLUGIN")) missing_[1] = error.what();
    }
    if (!client_ && missing_[1].empty()) missing_[1] = missing_[0];
  }

  static backends::Command command() {
    backends::Command words = backends::command_from_environment("TOPOS_XLA_PYTHON", {TOPOS_PYTHON});
    words.push_back(std::string(TOPOS_SOURCE_DIR) + "/tools/eval-stablehlo.py");
    return backends::command_from_environment("TOPOS_STABLEHLO_EVALUATOR", std::move(words));
  }

  std::unique_ptr<backends::ReferenceInterpreter> interpreter_;
  std::optional<backends::pjrt::Client> client_;
  std::array<std::string, 2> missing_;
  std::array<Witness, 2> witnesses_;
};

/// In a test's body: ends it, as skipped or in CI as failed, unless the engine can be asked.
#define TOPOS_REQUIRE_ENGINE(engine)                                                         \
  do {                                                                                       \
    const std::string& missing_tool = ::topos::testing::Foreign::instance().missing(engine); \
    TOPOS_REQUIRE_TOOL(missing_tool.empty(), missing_tool);                                  \
  } while (false)

/// xla-cpu-pjrt 0.0.1 compiles some products of bf16 with f32 sums and has no code to run them.
inline bool lacks_product(std::string_view failure) {
  return failure.find("Unsupported element type for DotThunk::Execute: BF16") != std::string_view::npos;
}

template <class E>
backends::Array foreign_array(const Tensor<E>& x) {
  const std::span<const Extent> extents = x.shape().extents();
  if constexpr (std::is_same_v<E, Bf16>) {
    std::vector<std::uint16_t> bits;
    for (const Bf16 element : x.elements()) bits.push_back(element.to_bits());
    return backends::Array::of({extents.begin(), extents.end()}, std::span<const std::uint16_t>(bits));
  } else {
    return backends::Array::of({extents.begin(), extents.end()}, x.elements().span());
  }
}

/// Of a tape of float, also a result that is held in bf16.
template <class E>
Tensor<E> tensor_of(const backends::Array& array) {
  std::vector<E> elements;
  if constexpr (std::is_same_v<E, Bf16>) {
    for (const std::uint16_t bits : array.values<std::uint16_t>()) elements.push_back(Bf16::from_bits(bits));
  } else if constexpr (std::is_same_v<E, float>) {
    elements = array.floats();
  } else {
    const std::span<const E> values = array.values<E>();
    elements.assign(values.begin(), values.end());
  }
  return Tensor<E>(Shape(array.extents), std::move(elements));
}

/// What the plan's module takes, in its order.
template <class E>
std::vector<backends::Array> foreign_arguments(const Plan<E>& plan, const Parameters<E>& parameters,
                                               const Feeds<E>& feeds) {
  std::vector<backends::Array> arguments;
  for (const Symbol& symbol : plan.arguments()) {
    const Node& node = plan.graph()[symbol.index()];
    const auto fed =
        std::find_if(feeds.begin(), feeds.end(), [&](const Feed<E>& feed) { return feed.input == symbol; });
    arguments.push_back(foreign_array(node.operation.is<Parameter>() ? parameters.of(symbol)
                                      : fed != feeds.end()           ? fed->value
                                                                     : plan.program().inputs[node.slot]));
  }
  return arguments;
}

/// The plan's results as an engine that is not missing computes them from its text.
template <class E>
std::vector<Tensor<E>> evaluate_abroad(Engine engine, const Plan<E>& plan, const Parameters<E>& parameters,
                                       const Feeds<E>& feeds) {
  std::vector<Tensor<E>> results;
  for (const backends::Array& array : Foreign::instance().evaluate(
           engine, emit_stablehlo(plan), foreign_arguments(plan, parameters, feeds))) {
    results.push_back(tensor_of<E>(array));
  }
  return results;
}

/// How a comparison differs from the usual one.
struct Envelope {
  double slack = 1.0;  ///< a factor on every bound; say why where it is not 1
  std::string label;   ///< what failures call the module
};

/// Whether each element lies within its bound of ours, which `witness` counts; any NaN equals any NaN, and
/// zeros of both signs are equal.
template <class E>
::testing::AssertionResult within_bounds(const Tensor<E>& theirs, const Tensor<E>& ours,
                                         const Tensor<double>& bounds, double slack, const std::string& label,
                                         Witness& witness, double loose_from = 1e-3) {
  if (theirs.shape() != ours.shape()) {
    return ::testing::AssertionFailure()
           << "shape " << describe(theirs.shape()) << " for " << describe(ours.shape());
  }
  const Elements<E> a = theirs.elements(), b = ours.elements();
  const Elements<double> bound = bounds.elements();
  double size = 0.0;
  for (const E e : b) size = std::max(size, std::fabs(static_cast<double>(e)));
  for (std::size_t i = 0; i < b.size(); ++i) {
    ++witness.elements;
    if (!(bound[i] < std::numeric_limits<double>::infinity())) {
      ++witness.unclaimed;
      continue;
    }
    if (bound[i] == 0.0) ++witness.exact;
    if (bound[i] > loose_from * size) ++witness.loose;
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double distance = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    const double used = distance / (slack * bound[i]);
    if (!(used <= 1.0)) {
      return ::testing::AssertionFailure()
             << fmt::format("element {} is {} for our {}, {} apart where {} is allowed", i,
                            describe_element(a[i]), describe_element(b[i]), distance, slack * bound[i]);
    }
    if (used > witness.largest) {
      witness.largest = used;
      witness.where_largest = label;
    }
  }
  return ::testing::AssertionSuccess();
}

namespace detail {

/// One engine's results against ours.
template <class E>
::testing::AssertionResult agrees(Engine engine, const Plan<E>& plan, const Run<E>& ours,
                                  const std::vector<backends::Array>& arguments, const std::string& text,
                                  const Envelope& envelope) {
  Foreign& tools = Foreign::instance();
  Witness& witness = tools.witness(engine);
  const auto started = std::chrono::steady_clock::now();
  const std::vector<backends::Array> theirs = tools.evaluate(engine, text, arguments);
  witness.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  ++witness.modules;
  const Symbols results = plan.results();
  if (theirs.size() != results.size()) {
    return ::testing::AssertionFailure() << theirs.size() << " results for " << results.size();
  }
  const ErrorBounds<E> bounds(plan, ours, engine);
  const bool narrow = std::is_same_v<E, Bf16> || text.find("bf16") != std::string::npos;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor<E> result = tensor_of<E>(theirs[i]);
    const ::testing::AssertionResult inside =
        within_bounds(result, ours.of(results[i]), bounds.of(results[i].index()), envelope.slack,
                      envelope.label, witness, narrow ? 0.125 : 1e-3);
    if (inside) continue;
    return ::testing::AssertionFailure() << "result " << i << ": " << inside.message() << "\nours   "
                                         << describe(ours.of(results[i])) << "\ntheirs " << describe(result);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace detail

/// Whether the plan equals the interpreted program to the bit, its text is accepted by the parser, and every
/// engine at hand computes the plan's results within the bounds of support/envelope.hpp.
template <class E>
::testing::AssertionResult conformant(const Plan<E>& plan, const Parameters<E>& parameters,
                                      const Feeds<E>& feeds, const Envelope& envelope = {}) {
  // The run that this gives does not outlive the plan, which therefore need not be shared.
  const std::shared_ptr<const Program<E>> program(std::shared_ptr<const void>(), &plan.program());
  const Symbols results = plan.results();
  const Run<E> interpreted = Entry<E>(program, results).interpret(parameters, feeds);
  const Run<E> planned = plan.forward(parameters, feeds);
  for (const Symbol& result : results) {
    if (same_bits(planned.of(result), interpreted.of(result))) continue;
    return ::testing::AssertionFailure()
           << envelope.label << ": the plan differs from the interpreted program at node " << result.index();
  }
  const std::string text = emit_stablehlo(plan);
  const std::vector<backends::Array> arguments = foreign_arguments(plan, parameters, feeds);
  std::string_view asked = "the parser";
  try {
    Foreign& tools = Foreign::instance();
    tools.parse(text);
    for (const Engine engine : engines) {
      if (!tools.missing(engine).empty()) continue;
      asked = name(engine);
      const ::testing::AssertionResult agreement =
          detail::agrees(engine, plan, interpreted, arguments, text, envelope);
      if (!agreement) {
        return ::testing::AssertionFailure()
               << envelope.label << ", " << asked << ", " << agreement.message() << "\n"
               << text;
      }
    }
  } catch (const EnvironmentError& error) {
    return ::testing::AssertionFailure() << envelope.label << ", " << asked << ": " << error.what() << "\n"
                                         << text;
  }
  return ::testing::AssertionSuccess();
}

/// The same as an expectation of the test, which is skipped when a tool is missing.
template <class E>
void expect_conformant(const Plan<E>& plan, const Parameters<E>& parameters, const Feeds<E>& feeds,
                       const Envelope& envelope = {}) {
  EXPECT_TRUE(conformant(plan, parameters, feeds, envelope));
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
}

/// With the initial parameters and the inputs' defaults.
template <class E>
void expect_conformant(const Plan<E>& plan, const Envelope& envelope = {}) {
  expect_conformant(plan, Parameters<E>(plan.graph(), plan.program().parameters), {}, envelope);
}

}  // namespace topos::testing
