// The StableHLO reference interpreter in a resident process: the meaning of a module, slowly.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "topos/backends/array.hpp"
#include "topos/backends/process.hpp"

namespace topos::backends {

/// A client of `tools/eval-stablehlo.py --serve`. One thread at a time may use it.
///
/// Each method throws EnvironmentError with the tool's complaint when the tool refuses the module, its
/// arguments or their evaluation; the tool lives on and the next request is answered. When the tool itself
/// ended, that is reported, and every later call repeats it.
class ReferenceInterpreter {
 public:
  /// Starts the tool: the words of TOPOS_STABLEHLO_EVALUATOR when it is set, else `command` (an interpreter
  /// and the script's path), and --serve.
  explicit ReferenceInterpreter(Command command, Process::Options options = {});

  /// The results of @main by the reference interpreter.
  std::vector<Array> evaluate(std::string_view module, std::span<const Array> arguments);

  /// The results of @main compiled and run by XLA.
  std::vector<Array> evaluate_xla(std::string_view module, std::span<const Array> arguments);

  /// Parses and verifies only.
  void parse(std::string_view module);

 private:
  std::vector<Array> request_results(std::string_view module, std::span<const Array> arguments, bool xla);

  Process process_;
};

}  // namespace topos::backends
