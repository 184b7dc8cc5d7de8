// The f32 kernels, every input of the functions of one argument among them, against an independent reference.
#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <vector>

#include "blocks.hpp"
#include "float_reference.hpp"
#include "inputs.hpp"
#include "kernels/instruction_set.hpp"

namespace exhaustive {
namespace {

struct Wrong {
  float x, y, kernel, exact;
};

/// What is known so far.
struct Tally {
  Decided decided;
  std::atomic<std::uint64_t> wrong = 0;
  std::mutex guard;
  std::vector<Wrong> first;  // the first few found
};

void work(const Function& function, Blocks& blocks, Tally& tally) {
  constexpr std::size_t reported = 5;
  FloatReference reference(tally.decided);
  std::vector<float> x, y, out;
  while (const auto block = blocks.take()) {
    x.resize(block->count);
    y.resize(block->count);
    out.resize(block->count);
    for (std::size_t i = 0; i < block->count; ++i) {
      const std::uint64_t number = block->first + i;
      const Pair<float> input =
          function.is_power() ? power_input<float>(number)
                              : Pair<float>{std::bit_cast<float>(static_cast<std::uint32_t>(number)), 0};
      x[i] = input.x;
      y[i] = input.y;
    }
    function.run(x, y, out);
    for (std::size_t i = 0; i < block->count; ++i) {
      const float exact = reference(function, x[i], y[i]);
      if (same(out[i], exact)) continue;
      ++tally.wrong;
      const std::lock_guard lock(tally.guard);
      if (tally.first.size() < reported) tally.first.push_back({x[i], y[i], out[i], exact});
    }
    blocks.finish(*block);
  }
}

/// The bits and the value.
std::string text(float x) { return fmt::format("0x{:08x} = {:.9g}", std::bit_cast<std::uint32_t>(x), x); }

}  // namespace

bool check_floats(const std::string& name, Range range, unsigned threads) {
  const Function& function = function_named(name);
  Tally tally;
  Blocks blocks(range, 1 << 16);
  const double seconds = share_out(name, range, blocks, threads, tally.wrong,
                                   [&](Blocks& shared) { work(function, shared, tally); });
  const std::uint64_t by_arbitrary = tally.decided.by_arbitrary;
  const std::string decided = function.is_power()
                                  ? "each decided by MPFR"
                                  : fmt::format("{} decided by long double, {} by MPFR",
                                                tally.decided.not_by_double - by_arbitrary, by_arbitrary);
  fmt::print("{}: {} inputs, {} wrong ({}, {:.0f} s; {})\n", name, blocks.done(), tally.wrong.load(),
             topos::kernels::instruction_set(), seconds, decided);
  for (const Wrong& wrong : tally.first) {
    fmt::print("  {}({}{}): kernel {}, exact {}\n", name, text(wrong.x),
               function.is_power() ? ", " + text(wrong.y) : "", text(wrong.kernel), text(wrong.exact));
  }
  std::fflush(stdout);
  return tally.wrong == 0;
}

}  // namespace exhaustive
