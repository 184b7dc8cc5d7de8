// The five programs that the emission chapter shows, each as a function that records and lowers it.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <topos/topos.hpp>

namespace plates {

using namespace topos;

// plate 1: (a b - c)^2 in f64, three scalars
inline Plan<double> chain() {
  Tape<double> tape;
  auto a = tape.parameter(Tensor<double>(0.5));
  auto b = tape.input(Tensor<double>(2.0));
  auto c = tape.input(Tensor<double>(3.0));
  auto error = a * b - c;
  auto loss = error * error;
  return std::move(tape).seal().entry(loss).lower();
}

// plates 2 and 3: a hidden layer, its loss, the recorded gradient, and the hidden values observed
inline Entry<float> walk_entry() {
  Tape<float> tape;
  auto weights = tape.parameter(Tensor<float>({2, 2}, {0.5f, -0.25f, 0.25f, 0.4f}));
  auto input = tape.input(Tensor<float>({1, 2}, {1.0f, 2.0f}));
  auto hidden = tanh(matmul(input, weights));
  auto loss = sum(hidden * hidden);
  auto adjoints = tape.differentiate(loss, {weights});
  return std::move(tape).seal().entry(adjoints.roots()).observe({hidden});
}

inline Plan<float> walk() { return walk_entry().lower(); }

// plate 3: what the entry declares, what the plan answers, and the two lines of text that must agree
inline std::string walk_results() {
  const Entry<float> entry = walk_entry();
  const Plan<float> plan = entry.lower();
  const Symbols results = plan.results();
  std::string text = fmt::format("entry roots:    {} (the loss), {} (its gradient)\n",
                                 entry.roots()[0].index(), entry.roots()[1].index());
  text += fmt::format("entry observes: {} (hidden)\n", entry.observes()[0].index());
  text += fmt::format("plan.results(): [{}, {}, {}]\n\n", results[0].index(), results[1].index(),
                      results[2].index());
  const std::string module = emit_stablehlo(plan);
  for (const char* start : {"func.func @main", "    return "}) {
    const std::size_t begin = module.find(start);
    text += module.substr(begin, module.find('\n', begin) + 1 - begin);
  }
  return text;
}

// plate 4: a convolution, a rectifier and a pool, which become named operations
inline Plan<float> convolution() {
  Tape<float> tape;
  auto image = tape.input(Tensor<float>::filled({1, 1, 6, 6}, 1.0f));
  auto weights = tape.parameter(Tensor<float>::filled({2, 1, 3, 3}, 0.5f));
  auto bias = tape.parameter(Tensor<float>::filled({2}, 0.1f));
  auto pooled = max_pool(relu(conv2d(image, weights, bias, 1, 0)), 2, 2);
  return std::move(tape).seal().entry(pooled).lower();
}

// plate 5: causal attention over four positions
inline Plan<float> attention() {
  Tape<float> tape;
  auto q = tape.input(Tensor<float>::filled({4, 8}, 0.1f));
  auto k = tape.input(Tensor<float>::filled({4, 8}, 0.2f));
  auto v = tape.input(Tensor<float>::filled({4, 8}, 0.3f));
  auto mask = tape.leaf(causal_mask<float>(4));
  auto scale = tape.leaf(Tensor<float>(1.0f / std::sqrt(8.0f)));
  auto attended = scaled_dot_product(q, k, v, mask, scale);
  return std::move(tape).seal().entry(attended).lower();
}

}  // namespace plates
