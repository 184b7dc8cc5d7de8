// Fits a line through three points: gradients of single samples and of their sum, then three learning rates
// that share one plan on three threads.
#include "example.hpp"

#include <future>
#include <topos/topos.hpp>
#include <vector>

namespace {

using namespace topos;
using example::expect;

struct Trained {
  double loss, w, b;
};

void fit_a_line() {
  // The program: w x + b for the points (1, 3), (2, 5), (3, 7), which lie on 2 x + 1; a squared error for
  // each.
  Tape<double> tape;
  auto w = tape.parameter(Tensor<double>(0.0));
  auto b = tape.parameter(Tensor<double>(0.0));
  std::vector<Value<double>> losses;
  for (const auto& [x, y] : {std::pair(1.0, 3.0), std::pair(2.0, 5.0), std::pair(3.0, 7.0)}) {
    auto error = w * x + b - y;
    losses.push_back(error * error);
  }
  auto total = losses[0] + losses[1] + losses[2];
  const Symbols samples(losses.begin(), losses.end());
  const Network<double> network = std::move(tape).seal();

  // One pass, several scans: each backward starts from another node of the same run.
  const Run<double> first = network.forward(network.parameters(), {});
  std::string slopes;
  for (const Symbol& sample : samples) slopes += describe(first.backward(sample).of(w)) + " ";
  slopes += "sum " + describe(first.backward(total).of(w));
  fmt::print("d loss / d w by sample: {}\n", slopes);
  expect("slopes", slopes, "-6 -20 -42 sum -68");

  // A plan holds no state and parameters are values, so the same plan trains three times at once.
  const Plan<double> plan = network.entry(total).retain().lower();
  const auto train = [&](double rate) {
    Parameters<double> parameters = network.parameters();
    for (int step = 0; step < 500; ++step) {
      const Run<double> run = plan.forward(parameters, {});
      parameters = parameters.step(run.backward(total).parameters(), sgd(rate));
    }
    const double loss = plan.forward(parameters, {}).of(total).item();
    return Trained{loss, parameters.of(w).item(), parameters.of(b).item()};
  };
  auto slow = std::async(std::launch::async, train, 0.005);
  auto medium = std::async(std::launch::async, train, 0.02);
  auto fast = std::async(std::launch::async, train, 0.05);

  const auto report = [](const char* rate, const Trained& trained, const char* expected) {
    const std::string line =
        fmt::format("loss {:.6f}, w {:.3f}, b {:.3f}", trained.loss, trained.w, trained.b);
    fmt::print("rate {}: {}\n", rate, line);
    expect(fmt::format("rate {}", rate), line, expected);
  };
  report("0.005", slow.get(), "loss 0.000118, w 2.007, b 0.983");
  report("0.020", medium.get(), "loss 0.000000, w 2.000, b 1.000");
  report("0.050", fast.get(), "loss 0.000000, w 2.000, b 1.000");
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("gradient_descent", "Fits a line by gradient descent at three learning rates.", argc,
                      argv, fit_a_line);
}
