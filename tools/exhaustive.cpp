// Every f32 input of a correctly rounded function: what the kernel gives against an independent reference.
#include <mpfr.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "kernels/map.hpp"
#include "topos/base/float_environment.hpp"

namespace {

using topos::kernels::UnaryMap;

/// The C library's function in two precisions, and MPFR's.
struct Function {
  const char* name;
  UnaryMap kernel;
  double (*twice)(double);
  long double (*extended)(long double);
  int (*arbitrary)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};

const Function functions[] = {
    {"exp", UnaryMap::exp, std::exp, std::exp, mpfr_exp},
    {"log", UnaryMap::log, std::log, std::log, mpfr_log},
    {"log1p", UnaryMap::log1p, std::log1p, std::log1p, mpfr_log1p},
    {"expm1", UnaryMap::expm1, std::expm1, std::expm1, mpfr_expm1},
    {"tanh", UnaryMap::tanh, std::tanh, std::tanh, mpfr_tanh},
    {"sin", UnaryMap::sin, std::sin, std::sin, mpfr_sin},
    {"cos", UnaryMap::cos, std::cos, std::cos, mpfr_cos},
    {"erf", UnaryMap::erf, std::erf, std::erf, mpfr_erf},
    {"sqrt", UnaryMap::sqrt, std::sqrt, std::sqrt, mpfr_sqrt},
};

/// The float to which every number within value (1 -+ slack) rounds, if there is one.
template <class Wide>
std::optional<float> rounded_for_certain(Wide value, Wide slack) {
  if (std::isnan(value) || std::isinf(value)) return static_cast<float>(value);
  const float below = static_cast<float>(value - std::fabs(value) * slack);
  const float above = static_cast<float>(value + std::fabs(value) * slack);
  if (below != above) return std::nullopt;
  return below;
}

/// The exact value rounded to float by MPFR, whose exponents are those of float meanwhile.
class ArbitraryPrecision {
 public:
  ArbitraryPrecision() {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_inits2(24, argument_, result_, static_cast<mpfr_ptr>(nullptr));
  }
  ~ArbitraryPrecision() {
    mpfr_clears(argument_, result_, static_cast<mpfr_ptr>(nullptr));
    mpfr_free_cache();
  }
  ArbitraryPrecision(const ArbitraryPrecision&) = delete;
  ArbitraryPrecision& operator=(const ArbitraryPrecision&) = delete;

  float operator()(const Function& function, float x) {
    mpfr_set_flt(argument_, x, MPFR_RNDN);
    const int direction = function.arbitrary(result_, argument_, MPFR_RNDN);
    mpfr_subnormalize(result_, direction, MPFR_RNDN);
    return mpfr_get_flt(result_, MPFR_RNDN);
  }

 private:
  mpfr_t argument_, result_;
};

struct Wrong {
  std::uint32_t input, kernel, exact;
};

/// What is known so far; the workers write, the main thread shows.
struct Tally {
  std::atomic<std::uint64_t> next, inputs = 0, wrong = 0, by_extended = 0, by_arbitrary = 0;
  std::mutex guard;
  std::vector<Wrong> first;  // the first few found
};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Takes blocks of inputs until none are left.
void work(const Function& function, std::uint64_t end, Tally& tally) {
  constexpr std::uint64_t block = 1 << 16;
  constexpr std::size_t reported = 5;
  const topos::DefaultFloatEnvironment environment;
  ArbitraryPrecision arbitrary;
  std::vector<float> x(block), out(block);
  for (;;) {
    const std::uint64_t start = tally.next.fetch_add(block);
    if (start >= end || interrupted) return;
    const std::size_t count = std::min(block, end - start);
    for (std::size_t i = 0; i < count; ++i)
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(start + i));
    topos::kernels::map(function.kernel, x.data(), out.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      // The C library's errors are a few units of the last place: 2^-51 and 2^-62. The slack is far more.
      std::optional<float> exact = rounded_for_certain(function.twice(x[i]), 0x1p-45);
      if (!exact) {
        ++tally.by_extended;
        exact = rounded_for_certain(function.extended(x[i]), 0x1p-56L);
      }
      if (!exact) {
        ++tally.by_arbitrary;
        exact = arbitrary(function, x[i]);
      }
      if (same(out[i], *exact)) continue;
      ++tally.wrong;
      const std::lock_guard lock(tally.guard);
      if (tally.first.size() < reported) {
        tally.first.push_back({std::bit_cast<std::uint32_t>(x[i]), std::bit_cast<std::uint32_t>(out[i]),
                               std::bit_cast<std::uint32_t>(*exact)});
      }
    }
    tally.inputs += count;
  }
}

/// Checks the inputs with bits from ... to; true when none is wrong.
bool check(const Function& function, std::uint64_t from, std::uint64_t to, unsigned threads) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally{.next = from, .guard = {}, .first = {}};
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&] { work(function, to + 1, tally); });
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::uint64_t count = to - from + 1;
  while (terminal && !interrupted && tally.inputs < count) {
    std::fprintf(stderr, "\r%s: %.1f %%, %llu wrong", function.name,
                 100.0 * static_cast<double>(tally.inputs) / static_cast<double>(count),
                 static_cast<unsigned long long>(tally.wrong));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  for (std::thread& worker : workers) worker.join();
  if (terminal) std::fputs("\r\033[K", stderr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %llu inputs, %llu wrong (%s, %.0f s; %llu decided by long double, %llu by MPFR)\n",
              function.name, static_cast<unsigned long long>(tally.inputs),
              static_cast<unsigned long long>(tally.wrong),
              std::string(topos::kernels::instruction_set()).c_str(), seconds,
              static_cast<unsigned long long>(tally.by_extended - tally.by_arbitrary),
              static_cast<unsigned long long>(tally.by_arbitrary));
  for (const Wrong& wrong : tally.first) {
    std::printf("  %s(0x%08x = %.9g): kernel 0x%08x = %.9g, exact 0x%08x = %.9g\n", function.name,
                wrong.input, std::bit_cast<float>(wrong.input), wrong.kernel,
                std::bit_cast<float>(wrong.kernel), wrong.exact, std::bit_cast<float>(wrong.exact));
  }
  std::fflush(stdout);
  return tally.wrong == 0;
}

constexpr const char* description =
    "Compares the f32 kernels with a reference of higher precision, over every input.\n"
    "The reference is the C library's double; its long double where the double lies too near to a tie;\n"
    "MPFR where that does. The exit status is 1 if a result is wrong. TOPOS_ISA selects the kernels.";
constexpr const char* examples =
    "Examples:\n"
    "  script/exhaustive exp                               all 2^32 inputs of exp\n"
    "  script/exhaustive --threads 2                       every function\n"
    "  script/exhaustive tanh --from 0 --to 0x7f800000     the positive ones\n"
    "  TOPOS_ISA=sse4 script/exhaustive sin                the kernels without fused multiply-add";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "exhaustive"};
  app.footer(examples);
  std::vector<std::string> names, all;
  for (const Function& function : functions) all.emplace_back(function.name);
  unsigned threads = 1;
  std::uint32_t from = 0, to = 0xffffffff;
  app.add_option("functions", names, "which; all without")->check(CLI::IsMember(all));
  app.add_option("--threads", threads, "how many at once")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--from", from, "bits of the first input")->capture_default_str();
  app.add_option("--to", to, "bits of the last input")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (from > to) {
    std::fprintf(stderr, "exhaustive: --from is 0x%08x, which is above --to, 0x%08x\n", from, to);
    return 2;
  }
  std::signal(SIGINT, [](int) { interrupted = true; });
  try {
    bool right = true;
    topos::kernels::instruction_set();  // refuses a TOPOS_ISA that does not exist before anything starts
    for (const std::string& name : names.empty() ? all : names) {
      for (const Function& function : functions) {
        if (function.name == name && !interrupted) right = check(function, from, to, threads) && right;
      }
    }
    if (interrupted) {
      std::fputs("exhaustive: interrupted; the counts are of what was done\n", stderr);
      return 130;
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exhaustive: %s\n", error.what());
    return 2;
  }
}
