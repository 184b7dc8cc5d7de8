// layer/NAME/forward, layer/NAME/train: each layer and loss of topos/nn alone. A step is the gradient of the
// sum of squared outputs, or of the loss, by all weights and the input, and the update of the weights.
#include "topos/nn/adam.hpp"
#include "topos/nn/attention.hpp"
#include "topos/nn/batch_norm.hpp"
#include "topos/nn/convolution.hpp"
#include "topos/nn/dropout.hpp"
#include "topos/nn/embedding.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/mlp.hpp"
#include "topos/nn/pooling.hpp"
#include "topos/nn/rms_norm.hpp"

#include "timing.hpp"

namespace {

using namespace bench;

/// A layer as it is recorded for a benchmark.
struct Subject {
  Tape<float> tape;
  std::optional<Value<float>> output;
  bool is_loss = false;
  Symbols trained;
  Symbols inputs;  // whose gradient is wanted, too
  Feeds<float> feeds;
  RecordUpdates updates = descent(1e-9f);

  Normal normal{1, 1.0};
  Normal small{2, 0.02};

  Tensor<float> weights(const Shape& shape) { return small.tensor<float>(shape); }
  Tensor<float> filled(Extent extent, float element) {
    return Tensor<float>::filled(Shape({extent}), element);
  }
  Value<float> fed(const Tensor<float>& tensor) {
    const Value<float> input = tape.input(Tensor<float>::filled(tensor.shape(), 0.0f));
    feeds.push_back({input, tensor});
    return input;
  }
  Value<float> input(const Shape& shape) {
    const Value<float> x = fed(normal.tensor<float>(shape));
    inputs.push_back(x);
    return x;
  }
  /// `ids` in 0 ... classes - 1, as a selection that is fed.
  Value<float> selected(std::size_t count, Extent classes) {
    std::vector<std::int64_t> ids(count);
    SplitMix64 random(3);
    for (std::int64_t& id : ids)
      id = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(classes));
    return fed(Tensor<float>::selection(std::move(ids), classes));
  }
  void train(const Parameterized& layer) { trained = parameters(layer); }
  Linear<float> linear(Extent in, Extent out) {
    Tensor<float> matrix = weights(Shape({in, out}));
    return Linear<float>(tape, std::move(matrix), weights(Shape({out})));
  }
};

const Shape rows({1024, 512});
const Shape images({16, 32, 32, 32});

Subject linear() {
  Subject subject;
  const Linear<float> layer = subject.linear(512, 512);
  subject.output = layer.express(subject.input(Shape({256, 512})));
  subject.train(layer);
  return subject;
}

Subject mlp() {
  Subject subject;
  const Mlp<float> layer(subject.tape, {784, 256, 256, 10}, Activation::relu, Normal(1, 0.05));
  subject.output = layer.express(subject.input(Shape({256, 784})));
  subject.train(layer);
  return subject;
}

Subject convolution(Extent groups) {
  Subject subject;
  Tensor<float> kernel = subject.weights(Shape({32, 16 / groups, 3, 3}));
  const Conv2d<float> layer(subject.tape, std::move(kernel), subject.weights(Shape({32})),
                            {.padding = 1, .groups = groups});
  subject.output = layer.express(subject.input(Shape({16, 16, 32, 32})));
  subject.train(layer);
  return subject;
}
Subject conv2d() { return convolution(1); }
Subject group_conv2d() { return convolution(4); }

template <class Pool>
Subject pool() {
  Subject subject;
  subject.output = Pool().express(subject.input(images));
  return subject;
}

Subject batch_norm_of(const Shape& shape) {
  Subject subject;
  const BatchNorm<float> layer(subject.tape, subject.filled(shape[1], 1.0f), subject.filled(shape[1], 0.0f),
                               1e-5f);
  subject.output = layer.express(subject.input(shape)).output;
  subject.train(layer);
  return subject;
}
Subject batch_norm() { return batch_norm_of(rows); }
Subject batch_norm2d() { return batch_norm_of(images); }

Subject layer_norm() {
  Subject subject;
  const LayerNorm<float> layer(subject.tape, subject.filled(512, 1.0f), subject.filled(512, 0.0f), 1e-5f);
  subject.output = layer.express(subject.input(rows));
  subject.train(layer);
  return subject;
}

Subject rms_norm() {
  Subject subject;
  const RmsNorm<float> layer(subject.tape, subject.filled(512, 1.0f), 1e-5f);
  subject.output = layer.express(subject.input(rows));
  subject.train(layer);
  return subject;
}

Subject dropout() {
  Subject subject;
  const Dropout<float> layer(subject.tape, rows);
  subject.output = layer.express(subject.input(rows));
  subject.feeds.push_back({layer.mask(), DropoutMask(1, 0.9).tensor<float>(rows)});
  return subject;
}

Subject embedding() {
  Subject subject;
  const Embedding<float> layer(subject.tape, subject.weights(Shape({8192, 128})));
  subject.output = layer.express(subject.selected(4096, 8192));
  subject.train(layer);
  return subject;
}

Subject attention() {
  constexpr Extent batch = 4, time = 128, width = 256, heads = 8;
  Subject subject;
  const Linear<float> query = subject.linear(width, width);
  const Linear<float> key = subject.linear(width, width);
  const Linear<float> value = subject.linear(width, width);
  const Linear<float> last = subject.linear(width, width);
  const MultiHeadAttention<float> layer(query, key, value, last, heads);
  const Value<float> x = subject.input(Shape({batch, time, width}));
  const Value<float> mask = subject.tape.leaf(causal_mask<float>(time));
  subject.output = layer.express(x, mask);
  subject.train(layer);
  return subject;
}

Subject cross_entropy() {
  Subject subject;
  const Value<float> logits = subject.input(Shape({1024, 1000}));
  subject.output = topos::cross_entropy(logits, subject.selected(1024, 1000));
  subject.is_loss = true;
  return subject;
}

Subject adam() {
  Subject subject = mlp();
  subject.inputs.clear();
  subject.updates = [](Tape<float>& tape, const Adjoints& adjoints) {
    return record_adam(tape, adjoints, tape.leaf(Tensor<float>(1e-6f))).updates;
  };
  return subject;
}

Subject adamw() {
  Subject subject = mlp();
  subject.inputs.clear();
  subject.updates = [](Tape<float>& tape, const Adjoints& adjoints) {
    return record_adamw(tape, adjoints, tape.leaf(Tensor<float>(1e-6f))).updates;
  };
  return subject;
}

void forward(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  Forward prepared(std::move(subject.tape), *subject.output);
  bench::time(state, [&] { prepared.run(subject.feeds); });
}

void train(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  const Value<float> output = *subject.output;
  const Symbol loss = subject.is_loss ? output : sum(output * output);
  Training training(std::move(subject.tape), loss, subject.trained, subject.updates, subject.inputs);
  bench::time(state, [&] { benchmark::DoNotOptimize(training.step(subject.feeds)); });
}

void add(const std::string& name, void (*run)(benchmark::State&, Subject (*)()), Subject (*make)()) {
  benchmark::RegisterBenchmark(("layer/" + name).c_str(), run, make)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

[[maybe_unused]] const bool added = [] {
  const std::pair<std::string, Subject (*)()> layers[] = {{"linear", linear},
                                                          {"mlp", mlp},
                                                          {"conv2d", conv2d},
                                                          {"group_conv2d", group_conv2d},
                                                          {"max_pool", pool<MaxPool2d<float>>},
                                                          {"average_pool", pool<AveragePool2d<float>>},
                                                          {"batch_norm", batch_norm},
                                                          {"batch_norm2d", batch_norm2d},
                                                          {"layer_norm", layer_norm},
                                                          {"rms_norm", rms_norm},
                                                          {"dropout", dropout},
                                                          {"embedding", embedding},
                                                          {"attention", attention},
                                                          {"cross_entropy", cross_entropy}};
  for (const auto& [name, make] : layers) {
    add(name + "/forward", forward, make);
    add(name + "/train", train, make);
  }
  add("adam/train", train, adam);
  add("adamw/train", train, adamw);
  return true;
}();

}  // namespace
