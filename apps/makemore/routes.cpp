#include "routes.hpp"

#include "topos/backends/pjrt.hpp"
#include "topos/backends/xla_server.hpp"

namespace makemore {
namespace {

using backends::Array;
using backends::ArrayElement;
using backends::ArrayType;
using backends::ArrayView;

ArrayType array_type(const Shape& shape) {
  return {ArrayElement::f32, {shape.extents().begin(), shape.extents().end()}};
}

std::vector<ArrayType> types_of(const Plan<float>& plan, const Symbols& symbols) {
  std::vector<ArrayType> types;
  for (const Symbol& symbol : symbols) types.push_back(array_type(plan.graph()[symbol.index()].shape));
  return types;
}

/// The step's arguments in the module's order, viewed where they lie; a selection becomes a one-hot matrix.
class Arguments {
 public:
  Arguments(const Parameters<float>& parameters, const Batch<float>& batch) {
    for (const Tensor<float>& parameter : parameters.payloads()) add(parameter);
    add(batch.contexts);
    add(batch.targets);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      views_.emplace_back(ArrayElement::f32, shapes_[i].extents(), std::as_bytes(elements_[i].span()));
    }
  }
  std::span<const ArrayView> views() const { return views_; }

 private:
  void add(const Tensor<float>& tensor) {
    shapes_.push_back(tensor.shape());
    elements_.push_back(tensor.elements());
  }
  std::vector<Shape> shapes_;
  std::vector<Elements<float>> elements_;
  std::vector<ArrayView> views_;
};

/// The module's results: the loss, then a gradient per parameter.
StepValues step_values(const Graph& graph, std::span<const Array> results) {
  std::vector<Tensor<float>> gradients;
  for (const Array& array : results.subspan(1)) {
    const auto values = array.values<float>();
    gradients.emplace_back(Shape(array.extents), std::vector<float>(values.begin(), values.end()));
  }
  return {results[0].values<float>()[0], Parameters<float>(graph, std::move(gradients))};
}

class PlanRoute : public Route {
 public:
  explicit PlanRoute(const TrainingStep<float>& step) : step_(step) {}
  StepValues step(const Parameters<float>& parameters, const Batch<float>& batch) override {
    const Run<float> run =
        step_.plan.forward(parameters, {{step_.contexts, batch.contexts}, {step_.targets, batch.targets}});
    return {run.of(step_.adjoints.target()).item(), run.gradients(step_.adjoints)};
  }
  std::string description() const override { return "topos, in process"; }

 private:
  const TrainingStep<float>& step_;
};

class PjrtRoute : public Route {
 public:
  PjrtRoute(const TrainingStep<float>& step, const std::string& module)
      : graph_(step.network.graph()), executable_(client_.compile(module)) {
    for (const ArrayType& type : executable_.result_types()) results_.push_back(Array::zeros(type));
  }
  StepValues step(const Parameters<float>& parameters, const Batch<float>& batch) override {
    executable_.run(Arguments(parameters, batch).views(), results_);
    return step_values(graph_, results_);
  }
  std::string description() const override { return client_.description(); }

 private:
  const Graph& graph_;
  backends::pjrt::Client client_;
  backends::pjrt::Executable executable_;
  std::vector<Array> results_;
};

class ServerRoute : public Route {
 public:
  ServerRoute(const TrainingStep<float>& step, const std::string& module)
      : graph_(step.network.graph()),
        server_({.python = {TOPOS_PYTHON},
                 .script = TOPOS_SOURCE_DIR "/tools/serve-stablehlo-xla.py",
                 .process = {}},
                module, {}, types_of(step.plan, step.plan.arguments()),
                types_of(step.plan, step.plan.results())) {}
  StepValues step(const Parameters<float>& parameters, const Batch<float>& batch) override {
    return step_values(graph_, server_.run(Arguments(parameters, batch).views()));
  }
  std::string description() const override { return "XLA in a resident Python server"; }

 private:
  const Graph& graph_;
  backends::XlaServer server_;
};

}  // namespace

std::unique_ptr<Route> plan_route(const TrainingStep<float>& step) {
  return std::make_unique<PlanRoute>(step);
}

std::unique_ptr<Route> pjrt_route(const TrainingStep<float>& step, const std::string& module) {
  return std::make_unique<PjrtRoute>(step, module);
}

std::unique_ptr<Route> server_route(const TrainingStep<float>& step, const std::string& module) {
  return std::make_unique<ServerRoute>(step, module);
}

}  // namespace makemore
