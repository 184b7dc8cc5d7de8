// Trains the makemore name model through one emitted step on up to three routes, every loss graded against
// the in-process plan.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "topos/base/file.hpp"
#include "training.hpp"

namespace {

using namespace makemore;

volatile std::sig_atomic_t interrupted = 0;

struct Options {
  std::string corpus = TOPOS_SOURCE_DIR "/data/names.txt";
  std::size_t steps = 5000;
  std::vector<std::string> routes{"plan", "pjrt", "server"};
  std::string json;
  std::string plot;
  std::string module;
  std::uint64_t seed = 0;
};

constexpr double largest_first_drift = 1e-3;
constexpr double notable_difference = 1e-6;  // a loss sums 64 terms: some ten roundings of 6e-8
constexpr int exit_interrupted = 130;

/// Lines as they come; progress only where somebody watches.
class Report {
 public:
  void line(const std::string& text) {
    clear();
    std::cout << text << '\n' << std::flush;
  }
  void progress(const std::string& text) {
    if (!watched_) return;
    std::cerr << '\r' << text << "\033[K" << std::flush;
    dirty_ = true;
  }
  void clear() {
    if (dirty_) std::cerr << "\r\033[K" << std::flush;
    dirty_ = false;
  }

 private:
  bool watched_ = ::isatty(STDERR_FILENO) != 0;
  bool dirty_ = false;
};

std::string judged(const std::string& name, const Verdict& verdict) {
  const double plan = verdict.plan_error();
  const double route = verdict.route_error();
  if (plan == route) return fmt::format("plan and {} are both {:.1e} from f64", name, plan);
  return fmt::format("f64 says {:.9f}: the {} is nearer, {:.1e} off against {:.1e}", verdict.exact,
                     plan < route ? "plan" : name, std::min(plan, route), std::max(plan, route));
}

/// A later step that the route computes notably differently from the plan, on the route's own parameters.
void report_difference(const Course& course, Report& report) {
  const Verdict& verdict = course.verdicts.back();
  if (verdict.difference() <= notable_difference) return;
  report.line(fmt::format("step {}: {} {:.7f} differs from the plan by {:.1e} on the same parameters; {}",
                          verdict.step, course.name, verdict.route, verdict.difference(),
                          judged(course.name, verdict)));
}

/// "largest difference from the plan on the same parameters 1.2e-07 in 11 graded steps; nearer to f64 in 4,
/// the plan in 5".
std::string graded(const Course& course) {
  double largest = 0;
  int route_nearer = 0;
  int plan_nearer = 0;
  for (const Verdict& verdict : course.verdicts) {
    largest = std::max(largest, verdict.difference());
    route_nearer += verdict.route_error() < verdict.plan_error() ? 1 : 0;
    plan_nearer += verdict.plan_error() < verdict.route_error() ? 1 : 0;
  }
  return fmt::format(
      "largest difference from the plan on the same parameters {:.1e} in {} graded steps; nearer to f64 in "
      "{}, "
      "the plan in {}",
      largest, course.verdicts.size(), route_nearer, plan_nearer);
}

/// Step 0 of every route on the same parameters and batch. Throws EnvironmentError when one disagrees.
void report_first_step(const Training& training, Report& report) {
  const float reference = training.courses().front().losses.front();
  report.line(fmt::format("step 0: plan {:.7f} (a uniform model costs ln 27 = 3.2958)", reference));
  for (std::size_t i = 1; i < training.courses().size(); ++i) {
    const Course& course = training.courses()[i];
    const Verdict& verdict = course.verdicts.front();
    const float loss = verdict.route;
    const double drift = verdict.difference();
    report.line(fmt::format("step 0: {} {:.7f} (relative drift {:.1e}; {})", course.name, loss, drift,
                            judged(course.name, verdict)));
    if (!(drift <= largest_first_drift)) {
      throw topos::EnvironmentError(
          fmt::format("{} computes another loss than the plan on the very first step: {} against {}, a "
                      "relative drift of {:.1e} "
                      "where {:.0e} is the most that rounding explains",
                      course.name, loss, reference, drift, largest_first_drift));
    }
  }
}

nlohmann::json summary(const Training& training, const Options& options,
                       const std::vector<std::string>& names, std::size_t samples) {
  nlohmann::json json;
  json["corpus"] = options.corpus;
  json["samples"] = samples;
  json["steps"] = options.steps;
  json["batch"] = training.schedule().batch;
  json["seed"] = options.seed;
  json["names"] = names;
  const std::size_t window = training.schedule().window;
  for (const Course& course : training.courses()) {
    nlohmann::json& entry = json["routes"][course.name];
    entry["description"] = course.route->description();
    entry["milliseconds_per_step"] =
        course.losses.empty() ? 0.0 : 1e3 * course.seconds / double(course.losses.size());
    entry["step_0"] = course.losses.empty() ? nlohmann::json() : nlohmann::json(course.losses.front());
    entry["largest_relative_drift"] = course.largest_drift;
    for (const Verdict& verdict : course.verdicts) {
      entry["graded"].push_back({{"step", verdict.step},
                                 {"f64", verdict.exact},
                                 {"error", verdict.route_error()},
                                 {"plan_error", verdict.plan_error()}});
    }
    for (std::size_t first = 0; first < course.losses.size(); first += window) {
      const std::size_t last = std::min(first + window, course.losses.size());
      entry["window_means"].push_back(Training::window_mean(course, first, last));
    }
    entry["losses"] = course.losses;
  }
  return json;
}

/// Fails before the training, not after it, where a result file cannot be written.
void require_writable_folder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw topos::EnvironmentError(
        fmt::format("cannot write {}: its folder does not exist or is not writable", file));
  }
}

int train(const Options& options) {
  Report report;
  for (const std::string* file : {&options.json, &options.plot, &options.module}) {
    if (!file->empty()) require_writable_folder(*file);
  }
  const Corpus corpus = load_corpus(options.corpus);
  std::vector<Sample> samples = make_samples(corpus);
  shuffle(samples, options.seed + 9);
  const std::size_t sample_count = samples.size();
  report.line(fmt::format("loaded {} names, {} samples", corpus.names.size(), sample_count));

  TrainingSchedule schedule;
  schedule.steps = options.steps;
  if (sample_count < schedule.batch) {
    schedule.batch = sample_count;
    report.line(
        fmt::format("the corpus is smaller than a batch: every step sees all {} samples", sample_count));
  }
  const std::vector<Tensor<float>> initial = initial_parameters(options.seed);
  const TrainingStep<float> step = record_training_step<float>(initial, static_cast<Extent>(schedule.batch));
  const std::string module = emit_stablehlo(step.plan);
  report.line(
      fmt::format("recorded the step: {} forward nodes and {} for the gradient, {} bytes of StableHLO",
                  step.forward_nodes, step.network.size() - step.forward_nodes, module.size()));
  if (!options.module.empty()) topos::write_file(options.module, module);

  Training training(step, initial, std::move(samples), schedule);
  training.add("plan", plan_route(step));
  for (const std::string& name : options.routes) {
    const auto same = [&](const Course& course) { return course.name == name; };
    if (std::any_of(training.courses().begin(), training.courses().end(), same)) continue;
    report.progress(fmt::format("compiling for {} ...", name));
    training.add(name, name == "pjrt" ? pjrt_route(step, module) : server_route(step, module));
    report.line(fmt::format("{}: {}", name, training.courses().back().route->description()));
  }
  const bool train_plan =
      std::find(options.routes.begin(), options.routes.end(), "plan") != options.routes.end();

  const auto stop_at = [&](const Course& course) {
    return [&](std::size_t at) {
      if (at % 50 == 0) report.progress(fmt::format("{}: step {} of {}", course.name, at, schedule.steps));
      return interrupted != 0;
    };
  };
  bool running = schedule.steps > 0;
  for (std::size_t first = 0; running && first < schedule.steps;) {
    // The first step alone, so that a route that is wrong is refused before it trains.
    const std::size_t last =
        first == 0 ? 1 : std::min((first / schedule.window + 1) * schedule.window, schedule.steps);
    for (Course& course : training.courses()) {
      if (course.name == "plan" && !train_plan && first > 0) continue;
      running = running && training.run(course, first, last, stop_at(course));
    }
    if (!running) break;
    if (first == 0) report_first_step(training, report);
    if (last % schedule.window == 0 || last == schedule.steps) {
      const std::size_t start = (last - 1) / schedule.window * schedule.window;
      std::string row = fmt::format("steps {:>4}..{:>4}: mean minibatch loss", start, last);
      for (const Course& course : training.courses()) {
        if (course.losses.size() < last) continue;
        row += fmt::format("  {} {:.4f}", course.name, Training::window_mean(course, start, last));
      }
      report.line(row);
      for (std::size_t i = 1; last > 1 && i < training.courses().size(); ++i)
        report_difference(training.courses()[i], report);
    }
    first = last;
  }
  training.compare();
  for (const Course& course : training.courses()) {
    if (course.losses.size() < 2) continue;
    const bool is_plan = &course == &training.courses().front();
    const std::string drift =
        is_plan || !train_plan
            ? ""
            : fmt::format(", largest relative drift from the plan's course {:.1e}", course.largest_drift);
    report.line(fmt::format("{}: {} steps, {:.3f} ms per step{}", course.name, course.losses.size(),
                            1e3 * course.seconds / double(course.losses.size()), drift));
    if (!is_plan) report.line(fmt::format("{}: {}", course.name, graded(course)));
  }
  if (interrupted) report.line("interrupted: what follows is of the steps that were done");

  const Course& trained = train_plan ? training.courses().front() : training.courses().back();
  const std::vector<std::string> names = sample_names(trained.parameters.payloads(), 10, options.seed);
  report.line(fmt::format("names sampled from the {} route's parameters:", trained.name));
  for (const std::string& name : names) report.line("  " + name);

  if (!options.json.empty()) {
    topos::write_file(options.json, summary(training, options, names, sample_count).dump(1) + '\n');
  }
  if (!options.plot.empty()) {
    std::vector<Curve> curves;
    for (const Course& course : training.courses()) {
      if (course.losses.size() > 1) curves.push_back({course.name, course.losses});
    }
    topos::write_file(options.plot, loss_chart(curves, "makemore: one emitted step, " +
                                                           std::to_string(curves.size()) + " routes"));
    report.line("loss curves: " + options.plot);
  }
  return interrupted ? exit_interrupted : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Trains the makemore name model through one emitted training step. The step is recorded and "
      "differentiated "
      "once; the in-process plan is the oracle, and XLA runs the emitted text in process (pjrt) and in a "
      "resident "
      "Python server (server). Every loss is held against the plan's, and f64 says which is nearer."};
  app.footer(
      "Examples:\n"
      "  makemore_mlp_emitted --plot losses.svg\n"
      "  makemore_mlp_emitted --corpus names.txt --steps 500 --routes plan,pjrt --json result.json");
  app.add_option("--corpus", options.corpus, "File of names, one a line, letters a to z")
      ->capture_default_str();
  app.add_option("--steps", options.steps, "Training steps")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  app.add_option("--routes", options.routes, "Routes to train on, separated by commas: plan, pjrt, server")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::IsMember({"plan", "pjrt", "server"}));
  app.add_option("--json", options.json, "Write figures and every loss to this file");
  app.add_option("--plot", options.plot, "Draw the loss curves to this SVG file");
  app.add_option("--module", options.module, "Write the emitted StableHLO to this file");
  app.add_option("--seed", options.seed, "Added to the seeds of initial values, shuffle and sampling")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "makemore_mlp_emitted: " << error.what() << "; --help lists the options\n";
    return 2;
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  try {
    return train(options);
  } catch (const topos::UsageError& error) {
    std::cerr << "makemore_mlp_emitted: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "makemore_mlp_emitted: " << error.what() << '\n';
    return interrupted ? exit_interrupted : 1;
  }
}
