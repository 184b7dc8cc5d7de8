#include "topos/backends/reference_interpreter.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

using nlohmann::json;

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string to_hex(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += hex_digits[std::to_integer<unsigned>(byte) >> 4];
    text += hex_digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [&](char c) {
    const std::size_t value = hex_digits.find(c);
    if (value == std::string_view::npos) throw UsageError(fmt::format("'{}' is no hex digit", c));
    return value;
  };
  if (text.size() % 2 != 0) throw UsageError("an odd number of hex digits");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t at = 0; at < text.size(); at += 2) {
    bytes.push_back(static_cast<std::byte>(16 * digit(text[at]) + digit(text[at + 1])));
  }
  return bytes;
}

json encode(const Array& array) {
  return {{"shape", array.extents}, {"element", name(array.element)}, {"bytes", to_hex(array.bytes)}};
}

Array decode(const json& value) {
  Array array{array_element(value.at("element").get<std::string>()),
              value.at("shape").get<std::vector<std::int64_t>>(),
              from_hex(value.at("bytes").get_ref<const std::string&>())};
  check_bytes(array, "result");
  return array;
}

Command serving(Command command) {
  command = command_from_environment("TOPOS_STABLEHLO_EVALUATOR", std::move(command));
  command.push_back("--serve");
  return command;
}

/// The start of a reply, for messages.
std::string excerpt(std::string_view reply) {
  constexpr std::size_t longest = 200;
  return reply.size() <= longest ? std::string(reply) : fmt::format("{}...", reply.substr(0, longest));
}

/// Sends one request and hands the reply to `read`; a reply of another form becomes an EnvironmentError.
template <class Read>
auto exchange(Process& process, const json& request, Read read) {
  std::string line;
  try {
    line = request.dump();
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("[reference interpreter] the module is not UTF-8 text: {}", error.what()));
  }
  line += '\n';
  process.write_all(line);
  const std::string answer = process.read_line();
  const auto misunderstood = [&](std::string_view why) {
    return EnvironmentError(fmt::format("[reference interpreter] `{}` gave a reply that is none ({}): {}",
                                        describe(process.command()), why, excerpt(answer)));
  };
  json reply;
  try {
    reply = json::parse(answer);
    if (!reply.is_object()) throw misunderstood("no object");
    if (!reply.contains("error")) return read(reply);
  } catch (const json::exception& error) {
    throw misunderstood(error.what());
  } catch (const UsageError& error) {
    throw misunderstood(error.what());
  }
  const json& complaint = reply["error"];
  throw EnvironmentError(fmt::format(
      "[reference interpreter] {}", complaint.is_string() ? complaint.get<std::string>() : complaint.dump()));
}

}  // namespace

ReferenceInterpreter::ReferenceInterpreter(Command command, Process::Options options)
    : process_(serving(std::move(command)), options) {}

std::vector<Array> ReferenceInterpreter::evaluate(std::string_view module, std::span<const Array> arguments) {
  return request_results(module, arguments, false);
}

std::vector<Array> ReferenceInterpreter::evaluate_xla(std::string_view module,
                                                      std::span<const Array> arguments) {
  return request_results(module, arguments, true);
}

void ReferenceInterpreter::parse(std::string_view module) {
  exchange(process_, {{"module", module}, {"parse_only", true}}, [](const json& reply) {
    if (!reply.at("parsed").get<bool>()) throw UsageError("neither parsed nor an error");
  });
}

std::vector<Array> ReferenceInterpreter::request_results(std::string_view module,
                                                         std::span<const Array> arguments, bool xla) {
  json encoded = json::array();
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    check_bytes(arguments[position], fmt::format("argument {}", position));
    encoded.push_back(encode(arguments[position]));
  }
  const json request{{"module", module}, {"arguments", std::move(encoded)}, {"xla", xla}};
  return exchange(process_, request, [](const json& reply) {
    std::vector<Array> results;
    for (const json& value : reply.at("results")) results.push_back(decode(value));
    return results;
  });
}

}  // namespace topos::backends
