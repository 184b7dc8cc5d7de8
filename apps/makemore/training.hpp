// Training on several routes at once, each loss held against the plan's.
#pragma once

#include <functional>

#include "chart.hpp"
#include "routes.hpp"

namespace makemore {

struct TrainingSchedule {
  std::size_t steps = 5000;
  std::size_t batch = 64;
  float fast_rate = 0.1f;
  float slow_rate = 0.01f;
  std::size_t slow_from = 4000;
  std::size_t window = 500;  ///< steps whose mean loss is reported

  float rate(std::size_t step) const { return step < slow_from ? fast_rate : slow_rate; }
};

/// How far two f32 computations of one loss are from the same computation in f64.
struct Verdict {
  double exact = 0;          ///< the loss in f64, from the same f32 parameters and batch
  double plan_error = 0;     ///< relative, of the plan in f32
  double foreign_error = 0;  ///< relative, of the other route in f32
};

/// One route's course: its own parameters, its losses, and the time its steps took.
struct Course {
  std::string name;
  std::unique_ptr<Route> route;
  Parameters<float> parameters;
  std::vector<float> losses;
  double seconds = 0;
  double largest_drift = 0;  ///< relative, from the plan's loss at the same step of its own course
  Verdict verdict{};         ///< of the step with the largest drift from the plan on the same parameters
};

/// Runs the schedule on every course, window by window; `stop` is asked before each step and ends the run
/// early.
class Training {
 public:
  Training(const TrainingStep<float>& step, const std::vector<Tensor<float>>& initial,
           std::vector<Sample> samples, TrainingSchedule schedule);

  /// Adds a course that starts from the initial parameters.
  void add(std::string name, std::unique_ptr<Route> route);
  std::vector<Course>& courses() { return courses_; }
  const TrainingSchedule& schedule() const { return schedule_; }

  /// The plan, the route and f64 on one and the same step.
  Verdict grade(Course& course, std::size_t step) const;
  /// Steps first ... last - 1 of one course. False when `stop` said so.
  bool run(Course& course, std::size_t first, std::size_t last, const std::function<bool(std::size_t)>& stop);
  /// Fills largest_drift of every course but the first, the plan.
  void compare();
  /// The mean loss of steps first ... last - 1, summed in f32.
  static float window_mean(const Course& course, std::size_t first, std::size_t last);

 private:
  std::span<const Sample> batch(std::size_t step) const;

  const TrainingStep<float>& step_;
  TrainingStep<double> exact_;
  std::vector<Sample> samples_;
  TrainingSchedule schedule_;
  std::vector<Course> courses_;
  std::unique_ptr<Route> plan_;
};

}  // namespace makemore
