// The smallest program: four operations on three numbers, and the derivative of the result by each of them.
#include "example.hpp"

#include <topos/topos.hpp>

namespace {

using namespace topos;
using example::expect;

void chain() {
  // Recording: each line appends nodes, and nothing is computed yet.
  Tape<double> tape;
  auto a = tape.leaf(Tensor<double>(2.0));
  auto b = tape.leaf(Tensor<double>(3.0));
  auto c = tape.leaf(Tensor<double>(4.0));
  fmt::print("allocated {} leaves\n", tape.size());
  expect("leaves", fmt::to_string(tape.size()), "3");

  // C++ may evaluate the operands of + in either order. Where both of them record, name one first: the order
  // of nodes is part of the program.
  auto negated = -((a + b) * c);
  auto result = negated + a * c;
  fmt::print("the result is node {} of shape {}\n", result.index(), describe(result.shape()));
  expect("the result's node", fmt::to_string(result.index()), "7");

  // Sealing ends the recording; then every node is computed, in the order in which it was recorded.
  const Network<double> network = std::move(tape).seal();
  const Run<double> run = network.forward(network.parameters(), {});
  const char* values[] = {"2", "3", "4", "5", "20", "-20", "8", "-12"};
  for (NodeIndex index = 0; index < network.size(); ++index) {
    const std::string value = describe(run.of(network.graph().symbol(index)));
    fmt::print("{}  = {}\n", describe(network.graph(), index), value);
    expect(fmt::format("node {}", index), value, values[index]);
  }

  // One scan backwards gives the derivative by every node at once. By hand: -c + c, -c, and -(a + b) + a.
  const Gradients<double> gradients = run.backward(result);
  const std::string found = fmt::format("{}, {}, {}", describe(gradients.of(a)), describe(gradients.of(b)),
                                        describe(gradients.of(c)));
  fmt::print("result {}\nits gradients by a, b and c: {}\n", describe(run.of(result)), found);
  expect("gradients", found, "0, -4, -3");
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("chain", "Records -((a + b) c) + a c, computes it and differentiates it.", argc, argv,
                      chain);
}
