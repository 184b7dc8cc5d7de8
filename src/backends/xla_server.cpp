#include "topos/backends/xla_server.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// u32 rank, u32 extents.
std::string static_header(const ArrayType& type) {
  std::string header;
  const auto append = [&](std::int64_t number) {
    if (number > std::numeric_limits<std::uint32_t>::max()) {
      throw UsageError(
          fmt::format("[xla server] extents of a static argument fit 32 bits; {} does not", describe(type)));
    }
    const auto word = static_cast<std::uint32_t>(number);
    header.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  append(static_cast<std::int64_t>(type.extents.size()));
  for (const std::int64_t extent : type.extents) append(extent);
  return header;
}

std::filesystem::path write_statics(const TemporaryDirectory& directory, std::span<const Array> statics) {
  std::vector<std::string> headers;
  for (std::size_t position = 0; position < statics.size(); ++position) {
    check_bytes(statics[position], fmt::format("static argument {}", position));
    headers.push_back(static_header(statics[position].type()));
  }
  std::vector<std::string_view> pieces;
  for (std::size_t position = 0; position < statics.size(); ++position) {
    pieces.push_back(headers[position]);
    pieces.push_back(text_of(statics[position].bytes));
  }
  return directory.write("static.bin", pieces);
}

std::filesystem::path write_manifest(const TemporaryDirectory& directory,
                                     std::span<const ArrayType> dynamics) {
  nlohmann::json shapes = nlohmann::json::array();
  for (const ArrayType& type : dynamics) shapes.push_back(type.extents);
  const std::string text = nlohmann::json{{"dynamic", shapes}}.dump();
  const std::string_view piece = text;
  return directory.write("manifest.json", std::span(&piece, 1));
}

Command server_command(const XlaServer::Options& options, const TemporaryDirectory& directory,
                       std::string_view module, std::span<const Array> statics,
                       std::span<const ArrayType> dynamics) {
  std::size_t request_bytes = 0;
  for (const ArrayType& type : dynamics) request_bytes += type.byte_count();
  if (request_bytes == 0) {
    throw UsageError("[xla server] a request has at least one byte: no dynamic argument has elements");
  }
  Command command = command_from_environment("TOPOS_XLA_PYTHON", options.python);
  command.push_back(options.script.string());
  command.push_back(directory.write("module.mlir", std::span(&module, 1)).string());
  command.push_back(write_statics(directory, statics).string());
  command.push_back(write_manifest(directory, dynamics).string());
  return command;
}

}  // namespace

XlaServer::XlaServer(const Options& options, std::string_view module, std::span<const Array> statics,
                     std::vector<ArrayType> dynamics, std::vector<ArrayType> results)
    : dynamics_(std::move(dynamics)),
      results_(std::move(results)),
      process_(server_command(options, directory_, module, statics, dynamics_), options.process) {}

std::vector<Array> XlaServer::run(std::span<const ArrayView> arguments) {
  if (arguments.size() != dynamics_.size()) {
    throw UsageError(fmt::format("[xla server] the module takes {} dynamic arguments; {} are given",
                                 dynamics_.size(), arguments.size()));
  }
  std::vector<std::span<const std::byte>> request;
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    check_type(arguments[position], dynamics_[position], fmt::format("dynamic argument {}", position));
    request.push_back(arguments[position].bytes);
  }
  std::vector<Array> results;
  std::vector<std::span<std::byte>> reply;
  results.reserve(results_.size());
  for (const ArrayType& type : results_) {
    results.push_back(Array::zeros(type));
    reply.push_back(results.back().bytes);
  }
  process_.write_all(request);
  process_.read_exact(reply);
  return results;
}

std::vector<Array> XlaServer::run(std::span<const Array> arguments) { return run(views(arguments)); }

}  // namespace topos::backends
