// cnn/forward, cnn/train, memory/cnn/train: 3x32x32 images through convolution to 32 channels, relu, pool,
// convolution to 64, relu, pool, and a layer to 10 classes; kernels 3x3, padding 1.
#include <malloc.h>

#include <fstream>

#include "timing.hpp"

namespace {

using namespace bench;

constexpr Extent channels = 3, size = 32, first_filters = 32, second_filters = 64, classes = 10;
constexpr Extent features = second_filters * (size / 4) * (size / 4);

struct Recorded {
  Tape<float> tape;
  std::vector<Value<float>> parameters;
  Value<float> images;
  Value<float> logits;
};

Recorded record(Extent batch) {
  Tape<float> tape;
  Normal normal(1, 0.05);
  std::vector<Value<float>> p;
  for (const Shape& shape : {Shape({first_filters, channels, 3, 3}), Shape({first_filters}),
                             Shape({second_filters, first_filters, 3, 3}), Shape({second_filters}),
                             Shape({features, classes}), Shape({classes})}) {
    p.push_back(tape.parameter(normal.tensor<float>(shape)));
  }
  const Value<float> images = tape.input(Tensor<float>::filled(Shape({batch, channels, size, size}), 0.0f));
  const Value<float> first = max_pool(relu(conv2d(images, p[0], p[1], 1, 1)), 2, 2);
  const Value<float> second = max_pool(relu(conv2d(first, p[2], p[3], 1, 1)), 2, 2);
  const Value<float> product = matmul(reshape(second, Shape({batch, features})), p[4]);
  const Value<float> logits = product + broadcast_along(p[5], 0, batch);
  return {std::move(tape), std::move(p), images, logits};
}

Tensor<float> some_images(Extent batch) {
  return Normal(2, 1.0).tensor<float>({batch, channels, size, size});
}

/// A loss on 64 images, recorded, and what feeds it.
struct Lesson {
  Recorded recorded;
  Symbol loss;
  Feeds<float> feeds;
};

Lesson lesson() {
  constexpr Extent batch = 64;
  Recorded recorded = record(batch);
  std::vector<std::int64_t> labels(batch);
  SplitMix64 random(3);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random.next() % classes);
  const Tensor<float> selected = Tensor<float>::selection(labels, classes);
  const Value<float> targets = recorded.tape.input(selected);
  const Symbol loss = cross_entropy(recorded.logits, targets);
  Feeds<float> feeds{{recorded.images, some_images(batch)}, {targets, selected}};
  return {std::move(recorded), loss, std::move(feeds)};
}

Training training_of(Lesson& lesson) {
  const std::vector<Value<float>>& parameters = lesson.recorded.parameters;
  return Training(std::move(lesson.recorded.tape), lesson.loss, Symbols(parameters.begin(), parameters.end()),
                  descent(0.01f));
}

void forward(benchmark::State& state) {
  constexpr Extent batch = 8;
  Recorded recorded = record(batch);
  const Feeds<float> feeds{{recorded.images, some_images(batch)}};
  Forward prepared(std::move(recorded.tape), recorded.logits);
  bench::time(state, [&] { prepared.run(feeds); });
}

void train(benchmark::State& state) {
  Lesson on = lesson();
  Training training = training_of(on);
  bench::time(state, [&] { benchmark::DoNotOptimize(training.step(on.feeds)); });
}

/// A line of /proc/self/status such as VmRSS, in bytes.
double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string name, unit;
  double kibibytes = 0;
  while (status >> name) {
    if (name == field + ":" && status >> kibibytes) return kibibytes * 1024;
    std::getline(status, unit);
  }
  return 0;
}

/// The largest resident size during five steps, less the resident size when only the parameters, the batch
/// and the recorded loss were there. Of a process that did nothing before: script/bench starts one for it.
void memory(benchmark::State& state) {
  Lesson on = lesson();
  ::malloc_trim(0);
  const double before = status_bytes("VmRSS");
  std::ofstream("/proc/self/clear_refs") << 5 << std::flush;  // the largest resident size starts anew
  Training training = training_of(on);
  bench::time(state, [&] { benchmark::DoNotOptimize(training.step(on.feeds)); });
  state.counters["bytes"] = status_bytes("VmHWM") - before;
}

BENCHMARK(forward)->Name("cnn/forward")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(train)->Name("cnn/train")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(memory)->Name("memory/cnn/train")->Iterations(5)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
