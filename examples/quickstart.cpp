// A training step, its text, and six steps of training.
#include <iostream>
#include <topos/topos.hpp>

int main() {
  using namespace topos;

  Tape<float> tape;
  auto weights = tape.parameter(Tensor<float>({2, 2}, {0.5f, -0.25f, 0.25f, 0.4f}));
  auto input = tape.input(Tensor<float>({1, 2}, {1.0f, 2.0f}));
  auto hidden = tanh(matmul(input, weights));
  auto loss = sum(hidden * hidden);
  auto adjoints = tape.differentiate(loss, {weights});  // the gradient, recorded as more nodes
  Network<float> network = std::move(tape).seal();

  Plan<float> plan = network.entry(adjoints.roots()).observe({hidden}).lower();
  std::cout << emit_stablehlo(plan);  // the module that XLA runs

  Parameters<float> parameters = network.parameters();
  float last = 0.0f;
  for (int step = 0; step < 6; ++step) {
    auto run = plan.forward(parameters, {{input, Tensor<float>({1, 2}, {1.0f, 2.0f})}});
    parameters = parameters.step(run.gradients(adjoints), sgd(0.05f));
    last = run.of(loss).item();
    std::cout << "loss " << last << '\n';
  }
  if (last < 0.03f) return 0;
  std::cerr << "the loss ended at " << last << ", not below 0.03\n";
  return 1;
}
