// A small convolutional network that tells bars from crosses: named layers, batch norm with running
// statistics, and a session whose every run is a step of training.
#include "example.hpp"

#include <algorithm>
#include <topos/topos.hpp>
#include <vector>

namespace {

using namespace topos;
using example::expect;

constexpr Extent rows = 32, side = 8, classes = 3, filters = 6;

struct Batch {
  Tensor<float> images;  // [rows, 1, side, side]
  Tensor<float> labels;  // a selection: 0 a horizontal bar, 1 a vertical one, 2 both
};

// Bars of six cells in noise, where the seed puts them.
Batch draw(SplitMix64& random) {
  const auto below = [&](Extent limit) {
    return static_cast<Extent>(random.unit() * static_cast<double>(limit));
  };
  std::vector<float> cells;
  std::vector<std::int64_t> labels;
  for (Extent i = 0; i < rows; ++i) {
    const Extent label = below(classes), row = below(side), column = below(side), start = below(3);
    labels.push_back(label);
    for (Extent y = 0; y < side; ++y) {
      for (Extent x = 0; x < side; ++x) {
        const bool horizontal = label != 1 && y == row && x >= start && x < start + 6;
        const bool vertical = label != 0 && x == column && y >= start && y < start + 6;
        cells.push_back((horizontal || vertical ? 1.0f : 0.0f) + 0.3f * static_cast<float>(random.normal()));
      }
    }
  }
  return {Tensor<float>({rows, 1, side, side}, std::move(cells)),
          Tensor<float>::selection(std::move(labels), classes)};
}

struct Model : Parameterized {
  Conv2d<float> convolution;
  BatchNorm<float> norm;
  Sequential<float> head;

  Model(Tape<float>& tape, Normal initial)
      : convolution(tape, initial.tensor<float>({filters, 1, 3, 3}), zeros(filters), {.padding = 1}),
        norm(tape, Tensor<float>::filled({filters}, 1.0f), zeros(filters), 1e-5f) {
    const Linear last(tape, initial.tensor<float>({filters * 16, classes}), zeros(classes));
    head.then(Activation::relu).then(MaxPool2d<float>()).then(Flatten<float>()).then(last);
  }
  void visit(Visitor& visitor) const override {
    visit_inside(visitor, "convolution", convolution);
    visit_inside(visitor, "norm", norm);
    visit_inside(visitor, "head", head);
  }
  static Tensor<float> zeros(Extent extent) { return Tensor<float>::filled({extent}, 0.0f); }
};

void convnet() {
  Tape<float> tape;
  const Model model(tape, Normal(5, 0.3));
  const RunningStatistics<float> statistics(tape, filters, 0.1);
  for (const NamedParameter& parameter : named_parameters(model)) {
    fmt::print("{:20} {}\n", parameter.name, describe(tape.resolve(parameter.symbol).shape()));
  }

  SplitMix64 random(11);
  const Batch first = draw(random);
  auto images = tape.input(first.images);
  auto labels = tape.input(first.labels);
  // Training normalizes by the batch; inference, another function of the same program, by running statistics.
  auto features = model.convolution.express(images);
  auto batch = model.norm.express(features);
  auto loss = cross_entropy(model.head.express(batch.output), labels);
  auto logits =
      model.head.express(model.norm.express_with(features, statistics.mean(), statistics.variance()));

  auto adjoints = tape.differentiate(loss, parameters(model));
  auto rate = tape.leaf(Tensor<float>(0.05f));
  auto updates = record_sgd(tape, adjoints, rate);
  for (const Update& update : statistics.updates(batch)) updates.push_back(update);
  const Network<float> network = std::move(tape).seal();

  const std::vector<std::string> expected{"2.3763", "0.6697", "0.1392", "0.1278", "0.1142"};
  Session<float> session = network.entry(loss).update(updates).lower().session(network.parameters());
  for (int step = 0; step <= 800; ++step) {
    const Batch next = draw(random);
    session.run({{images, next.images}, {labels, next.labels}});
    if (step % 200 != 0) continue;
    const std::string reached = fmt::format("{:.4f}", session.item(loss));
    fmt::print("step {:3}: loss {}\n", step, reached);
    expect(fmt::format("the loss at step {}", step), reached, expected[static_cast<std::size_t>(step / 200)]);
  }

  // The best of the logits by the trained parameters, over images that training never saw.
  const Plan<float> inference = network.entry(logits).lower();
  const Parameters<float> trained = session.parameters();
  std::size_t right = 0;
  for (int i = 0; i < 16; ++i) {
    const Batch unseen = draw(random);
    const Elements<float> scores =
        inference.forward(trained, {{images, unseen.images}}).of(logits).elements();
    for (std::size_t row = 0; row < rows; ++row) {
      const auto of_row = scores.span().subspan(row * classes, classes);
      const auto best = std::max_element(of_row.begin(), of_row.end()) - of_row.begin();
      if (best == unseen.labels.as_selection()->indices[row]) ++right;
    }
  }
  fmt::print("{} of {} unseen images told right\n", right, 16 * rows);
  expect("unseen images told right", fmt::to_string(right), "499");
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("convnet", "Trains a small convolutional network on bars and crosses, 801 steps.", argc,
                      argv, convnet);
}
