#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace makemore {

double relative(double value, double reference) {
  return std::fabs(value - reference) / std::fabs(reference);
}

Training::Training(const TrainingStep<float>& step, const std::vector<Tensor<float>>& initial,
                   std::vector<Sample> samples, TrainingSchedule schedule)
    : step_(step),
      exact_(record_training_step<double>(initial, static_cast<Extent>(schedule.batch))),
      samples_(std::move(samples)),
      schedule_(schedule) {}

void Training::add(std::string name, std::unique_ptr<Route> route) {
  courses_.push_back({std::move(name), std::move(route), step_.network.parameters(), {}, 0, 0, {}});
}

std::span<const Sample> Training::batch(std::size_t step) const {
  const std::size_t choices = samples_.size() - schedule_.batch;
  const std::size_t start = choices == 0 ? 0 : (step * schedule_.batch) % choices;
  return std::span(samples_).subspan(start, schedule_.batch);
}

bool Training::is_graded(std::size_t step) const {
  return step == 0 || (step + 1) % schedule_.window == 0 || step + 1 == schedule_.steps;
}

Verdict Training::grade(const Course& course, std::size_t step, float loss) {
  Course& plan = courses_.front();
  // Every course starts from the same parameters, so the plan's own first verdict holds for all.
  if (step == 0 && &course != &plan) {
    Verdict verdict = plan.verdicts.front();
    verdict.route = loss;
    return verdict;
  }
  const auto samples = batch(step);
  const Batch<double> wide = make_batch<double>(samples);
  std::vector<Tensor<double>> parameters;
  for (const Tensor<float>& tensor : course.parameters.payloads())
    parameters.push_back(converted<double>(tensor));
  const Parameters<double> state(exact_.network.graph(), std::move(parameters));
  const Run<double> run =
      exact_.plan.forward(state, {{exact_.contexts, wide.contexts}, {exact_.targets, wide.targets}});
  const double exact = run.of(exact_.adjoints.target()).item();
  if (&course == &plan) return {step, exact, loss, loss};
  return {step, exact, plan.route->step(course.parameters, make_batch<float>(samples)).loss, loss};
}

bool Training::run(Course& course, std::size_t first, std::size_t last,
                   const std::function<bool(std::size_t)>& stop) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t step = first; step < last; ++step) {
    if (stop(step)) return false;
    const Batch<float> samples = make_batch<float>(batch(step));
    const auto start = Clock::now();
    const StepValues values = course.route->step(course.parameters, samples);
    Parameters<float> updated = course.parameters.step(values.gradients, sgd(schedule_.rate(step)));
    course.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    course.losses.push_back(values.loss);
    if (is_graded(step)) course.verdicts.push_back(grade(course, step, values.loss));
    course.parameters = std::move(updated);
  }
  return true;
}

void Training::compare() {
  const Course& plan = courses_.front();
  for (Course& course : courses_) {
    for (std::size_t i = 0; i < std::min(course.losses.size(), plan.losses.size()); ++i) {
      course.largest_drift = std::max(course.largest_drift, relative(course.losses[i], plan.losses[i]));
    }
  }
}

float Training::window_mean(const Course& course, std::size_t first, std::size_t last) {
  float total = 0;
  for (std::size_t i = first; i < last; ++i) total += course.losses[i];
  return total / static_cast<float>(last - first);
}

}  // namespace makemore
