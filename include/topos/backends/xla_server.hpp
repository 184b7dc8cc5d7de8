// XLA behind a resident Python server: the module is compiled once, requests go through pipes.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "topos/backends/array.hpp"
#include "topos/backends/process.hpp"
#include "topos/backends/temporary_directory.hpp"

namespace topos::backends {

/// A client of tools/serve-stablehlo-xla.py. One thread at a time may use it.
class XlaServer {
 public:
  /// How the server is started.
  struct Options {
    /// The interpreter when TOPOS_XLA_PYTHON does not name one (words split on whitespace).
    Command python{"python3"};
    /// Path of serve-stablehlo-xla.py.
    std::filesystem::path script;
    /// How long it may take to answer, and to end.
    Process::Options process;
  };

  /// Starts the server; it compiles while this returns, so that a module it refuses is reported by run().
  /// The leading arguments of @main are `statics`, sent once; the trailing ones have the types `dynamics` and
  /// come with each run. `results` are the result types of @main, in order.
  /// Throws UsageError for arrays that contradict themselves and when no dynamic argument has elements,
  /// EnvironmentError when the server cannot be started.
  XlaServer(const Options& options, std::string_view module, std::span<const Array> statics,
            std::vector<ArrayType> dynamics, std::vector<ArrayType> results);

  /// Runs the module on the dynamic arguments. Throws UsageError when they have other types than promised,
  /// EnvironmentError with the server's complaint when it failed; it is not used again then.
  std::vector<Array> run(std::span<const ArrayView> arguments);
  std::vector<Array> run(std::span<const Array> arguments);

 private:
  std::vector<ArrayType> dynamics_;
  std::vector<ArrayType> results_;
  TemporaryDirectory directory_;  // outlives the process, which reads it
  Process process_;
};

}  // namespace topos::backends
