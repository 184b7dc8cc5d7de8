// One program through every reading of it: what was recorded, what it computes, its gradient twice, a
// schedule that trains it, and the text that other compilers run.
#include "example.hpp"

#include <source_location>
#include <topos/topos.hpp>
#include <vector>

namespace {

using namespace topos;
using example::expect;

// The value of every node, found by nothing but this loop: a source gives its payload, an operation its
// result.
std::vector<Tensor<float>> replay(const Network<float>& network) {
  std::vector<Tensor<float>> values;
  for (const Node& node : network.graph().nodes()) {
    const Symbol symbol = network.graph().symbol(static_cast<NodeIndex>(values.size()));
    if (const auto payload = network.payload(symbol)) {
      values.push_back(*payload);
      continue;
    }
    std::vector<Tensor<float>> operands;
    for (const NodeIndex operand : node.operand_indices()) operands.push_back(values[operand]);
    values.push_back(Tensor<float>::apply(node.operation, operands, std::source_location::current()));
  }
  return values;
}

void walkthrough() {
  fmt::print("1. The spec: what was recorded\n\n");
  Tape<float> tape;
  auto weights = tape.parameter(Tensor<float>({2, 2}, {0.5f, -0.25f, 0.25f, 0.4f}));
  auto input = tape.input(Tensor<float>({1, 2}, {1.0f, 2.0f}));
  auto hidden = tanh(matmul(input, weights));
  auto loss = sum(hidden * hidden);
  fmt::print("{}\n", tape.describe());
  fmt::print("A line is a node: its operation, its operands, its shape. Nothing has been computed yet.\n\n");
  expect("nodes before differentiation", fmt::to_string(tape.size()), "6");

  // The gradient has to be recorded before the tape is sealed; section 4 looks at it.
  auto adjoints = tape.differentiate(loss, {weights});
  const Symbol gradient = adjoints.of(weights);
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> initial = network.parameters();

  fmt::print("2. The value: what it computes\n\n");
  const Run<float> run = network.forward(initial, {});
  fmt::print("hidden {}\nloss {}\n\n", describe(run.of(hidden)), describe(run.of(loss)));
  expect("loss", describe(run.of(loss)), "0.83054614");
  const std::vector<Tensor<float>> replayed = replay(network);
  for (NodeIndex index = 0; index < network.size(); ++index) {
    expect(fmt::format("node {} of the replay equals the run's", index),
           same_bits(replayed[index], run.of(network.graph().symbol(index))));
  }
  fmt::print(
      "Interpreting is a loop over the nodes. A loop of eight lines, in this example, finds the same "
      "bits.\n\n");

  fmt::print("3. The cotangent: the gradient as numbers\n\n");
  const Tensor<float> scanned = run.backward(loss).of(weights);
  fmt::print("d loss / d weights {}\n\n", describe(scanned));
  expect("gradient", describe(scanned), "[[0.6397, 0.75025934], [1.2794, 1.5005187]]");
  fmt::print(
      "The engine went through the run backwards, applying each operation's derivative rule to values.\n\n");

  fmt::print("4. The trace: the gradient as a program\n\n");
  fmt::print("{}\n", network.describe());
  expect("recorded gradient equals the engine's", same_bits(run.of(gradient), scanned));
  fmt::print(
      "The same rules, applied to nodes, appended nodes 6 to {}; node {} is the gradient by the weights.\n",
      network.size() - 1, gradient.index());
  fmt::print("Its value has the bits of section 3, because it is the same arithmetic in the same order.\n\n");
  expect("nodes after differentiation", fmt::to_string(network.size()), "29");

  fmt::print("5. The schedule: a plan that trains\n\n");
  const Entry<float> entry = network.entry(adjoints.roots()).observe({hidden});
  const Plan<float> plan = entry.lower();
  fmt::print("{}\n", plan.describe());
  expect("results are the loss, its gradient, then what is observed",
         plan.results() == Symbols{loss, gradient, hidden});
  const Run<float> planned = plan.forward(initial, {});
  const Run<float> interpreted = entry.interpret(initial, {});
  for (const Symbol& result : plan.results()) {
    expect("the plan's bits are the interpreter's", same_bits(planned.of(result), interpreted.of(result)));
  }
  fmt::print("Nodes that no result needs are gone, and each value is dropped after its last reader.\n");
  std::string losses;
  float last = planned.of(loss).item();
  Parameters<float> parameters = initial;
  for (int step = 0; step <= 5; ++step) {
    const Run<float> pass = plan.forward(parameters, {});
    const float reached = pass.of(loss).item();
    expect("the loss decreases", step == 0 || reached < last);
    losses += fmt::format(" {:.4f}", reached);
    last = reached;
    parameters = parameters.step(pass.gradients(adjoints), sgd(0.05f));
  }
  fmt::print("Five steps of gradient descent at rate 0.05:{}\n\n", losses);
  expect("losses", losses, " 0.8305 0.5910 0.3760 0.2014 0.0826 0.0260");

  fmt::print("6. The text: the plan for another compiler\n\n");
  const std::string text = emit_stablehlo(plan);
  fmt::print("{}", text);
  expect("the text returns the plan's results", text.find("return %v5, %v28, %v3 :") != std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("walkthrough", "Takes one small program through every reading of it.", argc, argv,
                      walkthrough);
}
