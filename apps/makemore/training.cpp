#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace makemore {

Training::Training(const TrainingStep<float>& step, const std::vector<Tensor<float>>& initial,
                   std::vector<Sample> samples, TrainingSchedule schedule)
    : step_(step),
      exact_(record_training_step<double>(initial, static_cast<Extent>(schedule.batch))),
      samples_(std::move(samples)),
      schedule_(schedule),
      plan_(plan_route(step)) {}

void Training::add(std::string name, std::unique_ptr<Route> route) {
  courses_.push_back({std::move(name), std::move(route), step_.network.parameters(), {}});
}

std::span<const Sample> Training::batch(std::size_t step) const {
  const std::size_t choices = samples_.size() - schedule_.batch;
  const std::size_t start = choices == 0 ? 0 : (step * schedule_.batch) % choices;
  return std::span(samples_).subspan(start, schedule_.batch);
}

Verdict Training::grade(Course& course, std::size_t step) const {
  const auto samples = batch(step);
  const Batch<float> narrow = make_batch<float>(samples);
  const Batch<double> wide = make_batch<double>(samples);
  std::vector<Tensor<double>> parameters;
  for (const Tensor<float>& tensor : course.parameters.payloads())
    parameters.push_back(converted<double>(tensor));
  const Parameters<double> state(exact_.network.graph(), std::move(parameters));
  const Run<double> run =
      exact_.plan.forward(state, {{exact_.contexts, wide.contexts}, {exact_.targets, wide.targets}});
  Verdict verdict;
  verdict.exact = run.of(exact_.adjoints.target()).item();
  const auto error = [&](float loss) { return std::fabs(loss - verdict.exact) / std::fabs(verdict.exact); };
  verdict.plan_error = error(plan_->step(course.parameters, narrow).loss);
  verdict.foreign_error = error(course.route->step(course.parameters, narrow).loss);
  return verdict;
}

bool Training::run(Course& course, std::size_t first, std::size_t last,
                   const std::function<bool(std::size_t)>& stop) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t step = first; step < last; ++step) {
    if (stop(step)) return false;
    const Batch<float> samples = make_batch<float>(batch(step));
    const auto start = Clock::now();
    const StepValues values = course.route->step(course.parameters, samples);
    course.parameters = course.parameters.step(values.gradients, sgd(schedule_.rate(step)));
    course.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    course.losses.push_back(values.loss);
  }
  return true;
}

void Training::compare() {
  const Course& plan = courses_.front();
  for (Course& course : courses_) {
    for (std::size_t i = 0; i < std::min(course.losses.size(), plan.losses.size()); ++i) {
      const double drift = std::fabs(double{course.losses[i]} - plan.losses[i]) / std::fabs(plan.losses[i]);
      course.largest_drift = std::max(course.largest_drift, drift);
    }
  }
}

float Training::window_mean(const Course& course, std::size_t first, std::size_t last) {
  float total = 0;
  for (std::size_t i = first; i < last; ++i) total += course.losses[i];
  return total / static_cast<float>(last - first);
}

}  // namespace makemore
