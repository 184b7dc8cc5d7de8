// A long training run of the name model as one number: a hash of every loss and of the parameters at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <set>

#include "kernels/instruction_set.hpp"
#include "kernels/thread_pool.hpp"
#include "model.hpp"
#include "topos/nn/sgd.hpp"

namespace {

using namespace makemore;

constexpr Extent rows = 64;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

/// The corpus in batches: shuffled once, as many as it fills.
std::vector<Batch<float>> load_batches() {
  std::vector<Sample> samples = make_samples(load_corpus(TOPOS_SOURCE_DIR "/data/names.txt"));
  shuffle(samples, 0);
  std::vector<Batch<float>> batches;
  for (std::size_t first = 0; first + rows <= samples.size(); first += rows)
    batches.push_back(make_batch<float>(std::span(samples).subspan(first, rows)));
  return batches;
}

/// FNV-1a over the bits of floats.
class Hash {
 public:
  void add(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) state_ = (state_ ^ (bits >> shift & 0xff)) * 0x100000001b3;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

void show_progress(std::uint64_t step, std::uint64_t steps, float loss) {
  static auto shown = std::chrono::steady_clock::now();
  const auto now = std::chrono::steady_clock::now();
  if (now - shown < std::chrono::milliseconds(200)) return;
  shown = now;
  fmt::print(stderr, "\r{} of {} steps, loss {:.6f}", step, steps, loss);
}

/// Trains from the same initial parameters under the instruction set and threads in use; prints and gives the
/// hash. Plans choose their kernels when they are compiled, so each call records and compiles the step anew.
std::uint64_t soak(const std::vector<Batch<float>>& batches, std::uint64_t steps, bool with_setting) {
  TrainingStep<float> recorded = record_training_step<float>(initial_parameters(0), rows);
  Tape<float> tape = std::move(recorded.network).reopen();
  const std::vector<Update> updates = record_sgd(tape, recorded.adjoints, tape.leaf(Tensor<float>(0.1f)));
  const Network<float> network = std::move(tape).seal();
  const Symbol loss = recorded.adjoints.target();
  Session<float> session = network.entry(loss).update(updates).lower().session(network.parameters());

  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto start = std::chrono::steady_clock::now();
  Hash hash;
  std::uint64_t step = 0;
  for (; step < steps && !interrupted; ++step) {
    const Batch<float>& batch = batches[step % batches.size()];
    session.run({{recorded.contexts, batch.contexts}, {recorded.targets, batch.targets}});
    hash.add(session.item(loss));
    if (terminal && step % 256 == 0) show_progress(step, steps, session.item(loss));
  }
  const Parameters<float> parameters = session.parameters();
  for (const Tensor<float>& payload : parameters.payloads())
    for (const float element : payload.elements()) hash.add(element);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  if (terminal) std::fputs("\r\033[K", stderr);
  std::string setting;
  if (with_setting)
    setting = fmt::format(" ({}, threads: {}, {:.0f} s)", topos::kernels::instruction_set(),
                          topos::kernels::ThreadPool::global().threads(), seconds);
  fmt::print("{} steps: hash {:016x}, loss {:.9g}{}\n", step, hash.value(), session.item(loss), setting);
  std::fflush(stdout);
  return hash.value();
}

/// The hashes under each instruction set of this processor with one thread and with two.
std::set<std::uint64_t> soak_settings(const std::vector<Batch<float>>& batches, std::uint64_t steps) {
  std::set<std::uint64_t> hashes;
  for (const std::string_view name : topos::kernels::instruction_sets()) {
    for (const std::size_t threads : {1, 2}) {
      if (interrupted) return hashes;
      topos::kernels::use_instruction_set(name);
      topos::kernels::ThreadPool::global().resize(threads);
      hashes.insert(soak(batches, steps, true));
    }
  }
  return hashes;
}

constexpr const char* description =
    "Trains the name model of apps/makemore on data/names.txt by its session, 64 samples a step, and prints "
    "a\n"
    "hash of every step's loss and of the parameters at the end: the same one under every TOPOS_ISA and\n"
    "TOPOS_THREADS. The exit status of --settings is 1 if two of its hashes differ.";
constexpr const char* examples =
    "Examples:\n"
    "  script/soak                                   a million steps, about a minute\n"
    "  TOPOS_ISA=sse4 TOPOS_THREADS=1 script/soak    the same on other kernels\n"
    "  script/soak --settings                        5000 steps under each instruction set, 1 and 2 threads";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "soak"};
  app.footer(examples);
  std::uint64_t steps = 0;
  bool settings = false;
  app.add_option("--steps", steps, "default: 1000000, with --settings 5000")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  app.add_flag("--settings", settings,
               "every instruction set that the processor has, with 1 thread and with 2");
  CLI11_PARSE(app, argc, argv);
  if (steps == 0) steps = settings ? 5000 : 1000000;
  std::signal(SIGINT, [](int) { interrupted = true; });
  try {
    const std::vector<Batch<float>> batches = load_batches();
    std::set<std::uint64_t> hashes;
    if (settings) {
      hashes = soak_settings(batches, steps);
    } else {
      soak(batches, steps, false);
    }
    if (interrupted) {
      std::fputs("soak: interrupted; the hashes are of what was done\n", stderr);
      return 130;
    }
    if (settings) fmt::print("{}\n", hashes.size() == 1 ? "every hash agrees" : "the hashes differ");
    return hashes.size() > 1 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 2;
  }
}
