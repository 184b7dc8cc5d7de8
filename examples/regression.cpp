// Fits a noisy sine with a network of one hidden layer, by full-batch gradient descent.
#include "example.hpp"

#include <topos/topos.hpp>
#include <vector>

namespace {

using namespace topos;
using example::expect;

constexpr Extent points = 96;
constexpr Extent hidden = 16;

// The data: x uniform in [-3, 3), y = sin x plus normal noise. Seeded, so every machine draws the same.
Tensor<float> positions() { return Uniform(3, 3.0).tensor<float>({points, 1}); }

Tensor<float> heights(const Tensor<float>& x) {
  const Tensor<float> noise = Normal(5, 0.1).tensor<float>({points, 1});
  return sin(x) + noise;  // the operations compute when their operands are tensors
}

// A layer: x w + b, the bias repeated for every row.
Value<float> linear(const Value<float>& x, const Value<float>& weights, const Value<float>& bias) {
  auto product = matmul(x, weights);
  return product + broadcast_along(bias, 0, product.shape()[0]);
}

void regression() {
  const Tensor<float> x = positions();
  const Tensor<float> y = heights(x);

  Tape<float> tape;
  auto input = tape.leaf(x);
  auto target = tape.leaf(y);
  Xavier initial(7);
  auto weights1 = tape.parameter(initial.tensor<float>({1, hidden}));
  auto bias1 = tape.parameter(initial.tensor<float>({hidden}));
  auto weights2 = tape.parameter(initial.tensor<float>({hidden, 1}));
  auto bias2 = tape.parameter(initial.tensor<float>({1}));
  auto prediction = linear(tanh(linear(input, weights1, bias1)), weights2, bias2);
  auto error = prediction - target;
  auto loss = sum(error * error);
  auto adjoints = tape.differentiate(loss, {weights1, bias1, weights2, bias2});
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry(adjoints.roots()).lower();

  const std::vector<std::string> expected{"9.0240", "1.4585", "1.3850", "1.3429", "1.3144"};
  Parameters<float> parameters = network.parameters();
  for (int step = 0; step < 3000; ++step) {
    const Run<float> run = plan.forward(parameters, {});
    if (step % 600 == 0) {
      const std::string reached = fmt::format("{:.4f}", run.of(loss).item());
      fmt::print("step {:4}: loss {}\n", step, reached);
      expect(fmt::format("the loss at step {}", step), reached,
             expected[static_cast<std::size_t>(step / 600)]);
    }
    parameters = parameters.step(run.gradients(adjoints), sgd(0.001f));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("regression", "Fits a noisy sine with a small network, 3000 full-batch steps.", argc,
                      argv, regression);
}
