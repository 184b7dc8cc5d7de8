// script/exhaustive: the kernels against references of higher precision.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "blocks.hpp"
#include "functions.hpp"
#include "kernels/instruction_set.hpp"

namespace {

constexpr const char* description =
    "Compares the kernels with references of higher precision.\n"
    "f32: every input of the functions of one argument, against the C library's double; its long double\n"
    "where the double lies too near to a tie; MPFR where that does. 10^8 pairs of power, against MPFR. A\n"
    "result that is not the nearest float is wrong.\n"
    "--f64: ten million inputs of each function, power among them, against MPFR at 200 bits. A result\n"
    "above 1 ulp is wrong.\n"
    "The exit status is 1 if a result is wrong. TOPOS_ISA selects the kernels.";
constexpr const char* examples =
    "Examples:\n"
    "  script/exhaustive exp                               all 2^32 inputs of exp\n"
    "  script/exhaustive --threads 2                       every function\n"
    "  script/exhaustive tanh --from 0 --to 0x7f800000     the positive ones\n"
    "  TOPOS_ISA=sse4 script/exhaustive sin power          the kernels without fused multiply-add\n"
    "  script/exhaustive --f64 --threads 2                 every f64 function\n"
    "  script/exhaustive --f64 erf --to 99999999           ten times as many inputs of one";

/// The inputs asked for, or those that are tried without.
exhaustive::Range range_of(const std::string& name, bool f64, std::optional<std::uint64_t> from,
                           std::optional<std::uint64_t> to) {
  const bool by_bits = !f64 && name != "power";
  const std::uint64_t last = f64 ? 9'999'999 : by_bits ? 0xffffffff : 99'999'999;
  const exhaustive::Range range = {from.value_or(0), to.value_or(last)};
  if (range.from > range.to || range.to > (by_bits ? 0xffffffff : 1'000'000'000'000)) {
    throw std::invalid_argument(
        fmt::format("{} has no inputs from {:#x} to {:#x}", name, range.from, range.to));
  }
  return range;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "exhaustive"};
  app.footer(examples);
  std::vector<std::string> all, names;
  for (const exhaustive::Function& function : exhaustive::functions) all.emplace_back(function.name);
  bool f64 = false;
  unsigned threads = 1;
  std::optional<std::uint64_t> from, to;
  app.add_option("functions", names, "which; all without")->check(CLI::IsMember(all));
  app.add_flag("--f64", f64, "the f64 functions");
  app.add_option("--threads", threads, "how many at once")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--from", from, "first input: its bits, or its number where not every input is tried");
  app.add_option("--to", to, "last input");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGINT, [](int) { exhaustive::interrupted = true; });
  try {
    bool right = true;
    topos::kernels::instruction_set();  // refuses a TOPOS_ISA that does not exist before anything starts
    for (const std::string& name : names.empty() ? all : names) {
      if (exhaustive::interrupted) break;
      const exhaustive::Range range = range_of(name, f64, from, to);
      const auto check = f64 ? exhaustive::check_doubles : exhaustive::check_floats;
      right = check(name, range, threads) && right;
    }
    if (exhaustive::interrupted) {
      std::fputs("exhaustive: interrupted; the counts are of what was done\n", stderr);
      return 130;
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exhaustive: %s\n", error.what());
    return 2;
  }
}
