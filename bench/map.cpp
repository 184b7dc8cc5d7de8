// map/F/N: one function of N fed f32 elements.
#include "timing.hpp"

namespace {

using namespace bench;

enum class Domain { real, positive };

/// Normal draws of deviation 2, or their magnitudes, none of them 0.
Tensor<float> draws(Domain domain, std::uint64_t seed, Extent n) {
  const Tensor<float> normal = Normal(seed, 2.0).tensor<float>({n});
  if (domain == Domain::real) return normal;
  return topos::maximum(topos::abs(normal), Tensor<float>::filled(Shape({n}), 1e-3f));
}

template <class Function>
void map(benchmark::State& state, Function function, Domain domain) {
  const Extent n = state.range(0);
  Tape<float> tape;
  const Value<float> x = tape.input(draws(domain, 1, n));
  const Value<float> y = function(x);
  const Feeds<float> feeds{{x, draws(domain, 1, n)}};
  Forward forward(std::move(tape), y);
  bench::time(state, [&] { forward.run(feeds); });
  state.SetItemsProcessed(state.iterations() * n);
}

void power(benchmark::State& state) {
  const Extent n = state.range(0);
  Tape<float> tape;
  const Value<float> x = tape.input(draws(Domain::positive, 1, n));
  const Value<float> y = tape.input(draws(Domain::real, 2, n));
  const Value<float> z = pow(x, y);
  const Feeds<float> feeds{{x, draws(Domain::positive, 1, n)}, {y, draws(Domain::real, 2, n)}};
  Forward forward(std::move(tape), z);
  bench::time(state, [&] { forward.run(feeds); });
  state.SetItemsProcessed(state.iterations() * n);
}

using V = Value<float>;
void exponential(benchmark::State& state) {
  map(state, [](const V& x) { return exp(x); }, Domain::real);
}
void logarithm(benchmark::State& state) {
  map(state, [](const V& x) { return log(x); }, Domain::positive);
}
void log_plus(benchmark::State& state) {
  map(state, [](const V& x) { return log1p(x); }, Domain::positive);
}
void exp_minus(benchmark::State& state) {
  map(state, [](const V& x) { return expm1(x); }, Domain::real);
}
void tangent(benchmark::State& state) {
  map(state, [](const V& x) { return tanh(x); }, Domain::real);
}
void sine(benchmark::State& state) {
  map(state, [](const V& x) { return sin(x); }, Domain::real);
}
void cosine(benchmark::State& state) {
  map(state, [](const V& x) { return cos(x); }, Domain::real);
}
void error(benchmark::State& state) {
  map(state, [](const V& x) { return erf(x); }, Domain::real);
}
void root(benchmark::State& state) {
  map(state, [](const V& x) { return sqrt(x); }, Domain::positive);
}

BENCHMARK(exponential)->Name("map/exp")->Arg(65536)->UseRealTime();
BENCHMARK(logarithm)->Name("map/log")->Arg(65536)->UseRealTime();
BENCHMARK(log_plus)->Name("map/log1p")->Arg(65536)->UseRealTime();
BENCHMARK(exp_minus)->Name("map/expm1")->Arg(65536)->UseRealTime();
BENCHMARK(tangent)->Name("map/tanh")->Arg(65536)->UseRealTime();
BENCHMARK(sine)->Name("map/sin")->Arg(65536)->UseRealTime();
BENCHMARK(cosine)->Name("map/cos")->Arg(65536)->UseRealTime();
BENCHMARK(error)->Name("map/erf")->Arg(65536)->UseRealTime();
BENCHMARK(root)->Name("map/sqrt")->Arg(65536)->UseRealTime();
BENCHMARK(power)->Name("map/power")->Arg(65536)->UseRealTime();

}  // namespace
