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

/// |value - reference| / |reference|.
double relative(double value, double reference);

/// One step's loss computed three times from the same f32 parameters and batch.
struct Verdict {
  std::size_t step;
  double exact;  ///< in f64
  float plan;
  float route;

  double plan_error() const { return relative(plan, exact); }
  double route_error() const { return relative(route, exact); }
  double difference() const { return relative(route, plan); }
};

/// One route's course: its own parameters, its losses, and the time its steps took.
struct Course {
  std::string name;
  std::unique_ptr<Route> route;
  Parameters<float> parameters;
  std::vector<float> losses;
  double seconds = 0;
  double largest_drift = 0;       ///< relative, from the plan's loss at the same step of its own course
  std::vector<Verdict> verdicts;  ///< of step 0 and of the last step of each window
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
  const std::vector<Course>& courses() const { return courses_; }
  const TrainingSchedule& schedule() const { return schedule_; }

  /// Steps first ... last - 1 of one course; the first course added is the plan's and runs first. False when
  /// `stop` said so.
  bool run(Course& course, std::size_t first, std::size_t last, const std::function<bool(std::size_t)>& stop);
  /// Fills largest_drift of every course but the first, the plan.
  void compare();
  /// The mean loss of steps first ... last - 1, summed in f32.
  static float window_mean(const Course& course, std::size_t first, std::size_t last);

 private:
  std::span<const Sample> batch(std::size_t step) const;
  bool is_graded(std::size_t step) const;
  /// Of a step whose loss on the course's parameters is known.
  Verdict grade(const Course& course, std::size_t step, float loss);

  const TrainingStep<float>& step_;
  TrainingStep<double> exact_;
  std::vector<Sample> samples_;
  TrainingSchedule schedule_;
  std::vector<Course> courses_;
};

}  // namespace makemore
