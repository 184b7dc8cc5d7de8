// The f64 functions against MPFR at 200 bits: the largest error, in units in the last place of the exact
// value.
#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>

#include "blocks.hpp"
#include "functions.hpp"
#include "inputs.hpp"
#include "kernels/instruction_set.hpp"

namespace exhaustive {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Result {
  double x, y, actual, error;
};

/// What is known so far.
struct Tally {
  std::atomic<std::uint64_t> wrong = 0, not_nearest = 0;
  std::mutex guard;
  Result worst = {0, 0, 0, -1};
  std::vector<Result> first;  // the first few above the limit
};

/// The exact value to 200 bits, for one thread.
class Reference {
 public:
  Reference() {
    // Past the exponents of double by enough that what over- or underflows here does so there.
    mpfr_set_emin(-1400);
    mpfr_set_emax(1100);
    mpfr_inits2(53, x_, y_, difference_, static_cast<mpfr_ptr>(nullptr));
    mpfr_init2(exact_, 200);
  }
  ~Reference() { mpfr_clears(x_, y_, difference_, exact_, static_cast<mpfr_ptr>(nullptr)); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// In units in the last place.
  double error(const Function& function, double x, double y, double actual) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    function.exact(exact_, x_, y_);
    return error(actual);
  }

 private:
  /// An infinite result counts as 2^1024, the number after the largest; a NaN, an infinity or a sign that the
  /// exact value has not as an infinite error, and so the other way round.
  double error(double actual) {
    if (mpfr_nan_p(exact_) || std::isnan(actual))
      return mpfr_nan_p(exact_) && std::isnan(actual) ? 0 : infinity;
    if ((mpfr_signbit(exact_) != 0) != std::signbit(actual)) return infinity;
    if (mpfr_zero_p(exact_)) return actual == 0 ? 0 : infinity;
    if (mpfr_inf_p(exact_) || (mpfr_get_exp(exact_) > 1024 && std::isinf(actual)))
      return std::isinf(actual) ? 0 : infinity;
    mpfr_set_d(difference_, std::isinf(actual) ? std::copysign(0x1p1023, actual) : actual, MPFR_RNDN);
    if (std::isinf(actual)) mpfr_mul_2ui(difference_, difference_, 1, MPFR_RNDN);
    const mpfr_exp_t last_place = std::clamp<mpfr_exp_t>(mpfr_get_exp(exact_) - 53, -1074, 971);
    mpfr_sub(difference_, difference_, exact_, MPFR_RNDA);
    mpfr_mul_2si(difference_, difference_, -last_place, MPFR_RNDA);
    return std::fabs(mpfr_get_d(difference_, MPFR_RNDA));
  }

  mpfr_t x_, y_, difference_, exact_;
};

void work(const Function& function, Blocks& blocks, Tally& tally) {
  constexpr std::size_t reported = 5;
  Reference reference;
  Result worst = tally.worst;
  std::vector<double> x, y, out;
  while (const auto block = blocks.take()) {
    x.resize(block->count);
    y.resize(block->count);
    out.resize(block->count);
    for (std::size_t i = 0; i < block->count; ++i) {
      const std::uint64_t number = block->first + i;
      const Pair<double> input = function.is_power() ? power_input<double>(number)
                                                     : Pair<double>{double_input(function.name, number), 0};
      x[i] = input.x;
      y[i] = input.y;
    }
    function.run(x, y, out);
    for (std::size_t i = 0; i < block->count; ++i) {
      const Result result = {x[i], y[i], out[i], reference.error(function, x[i], y[i], out[i])};
      if (result.error > worst.error) worst = result;
      if (result.error > 0.5) ++tally.not_nearest;
      if (result.error <= 1) continue;
      ++tally.wrong;
      const std::lock_guard lock(tally.guard);
      if (tally.first.size() < reported) tally.first.push_back(result);
    }
    blocks.finish(*block);
  }
  const std::lock_guard lock(tally.guard);
  if (worst.error > tally.worst.error) tally.worst = worst;
}

std::string text(const Function& function, const Result& result) {
  return fmt::format("{:.9f} ulp at {}({:a}{}), which gives {:a}", result.error, function.name, result.x,
                     function.is_power() ? fmt::format(", {:a}", result.y) : "", result.actual);
}

}  // namespace

bool check_doubles(const std::string& name, Range range, unsigned threads) {
  const Function& function = function_named(name);
  Tally tally;
  Blocks blocks(range, 1 << 12);
  const double seconds = share_out(name, range, blocks, threads, tally.wrong,
                                   [&](Blocks& shared) { work(function, shared, tally); });
  fmt::print("{}: {} inputs, {} above 1 ulp, {} not the nearest ({}, {:.0f} s), largest error {}\n", name,
             blocks.done(), tally.wrong.load(), tally.not_nearest.load(), topos::kernels::instruction_set(),
             seconds, text(function, tally.worst));
  for (const Result& wrong : tally.first) fmt::print("  {}\n", text(function, wrong));
  std::fflush(stdout);
  return tally.wrong == 0;
}

}  // namespace exhaustive
