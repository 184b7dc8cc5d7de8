// Ways to run one emitted training step: at home, and in compilers that see only its text.
#pragma once

#include <memory>
#include <string>

#include "model.hpp"

namespace makemore {

/// A step's loss and the gradient of each parameter.
struct StepValues {
  float loss;
  Parameters<float> gradients;
};

/// Something that computes the step. Throws EnvironmentError when what it depends on fails.
class Route {
 public:
  virtual ~Route() = default;
  virtual StepValues step(const Parameters<float>& parameters, const Batch<float>& batch) = 0;
  /// What computes, in a few words.
  virtual std::string description() const = 0;
};

/// The in-process plan, which defines the bits.
std::unique_ptr<Route> plan_route(const TrainingStep<float>& step);
/// XLA in this process, through the PJRT plugin that TOPOS_PJRT_PLUGIN names or the bootstrap installed.
std::unique_ptr<Route> pjrt_route(const TrainingStep<float>& step, const std::string& module);
/// XLA in a resident Python server, over pipes. TOPOS_XLA_PYTHON names the Python.
std::unique_ptr<Route> server_route(const TrainingStep<float>& step, const std::string& module);

}  // namespace makemore
