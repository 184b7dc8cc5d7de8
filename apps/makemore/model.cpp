#include "model.hpp"

namespace makemore {
namespace {

/// Logits [rows, vocabulary] of contexts [rows * context, vocabulary].
template <class E>
Value<E> logits(const std::vector<Value<E>>& parameters, const Value<E>& contexts, Extent rows) {
  const Value<E> embedded =
      reshape(gather(parameters[0], contexts), Shape({rows, context * embedding_width}));
  const Value<E> hidden_product = matmul(embedded, parameters[1]);
  const Value<E> hidden = tanh(hidden_product + broadcast_along(parameters[2], 0, rows));
  const Value<E> output_product = matmul(hidden, parameters[3]);
  return output_product + broadcast_along(parameters[4], 0, rows);
}

template <class E>
std::vector<Value<E>> record_parameters(Tape<E>& tape, const std::vector<Tensor<float>>& initial) {
  std::vector<Value<E>> parameters;
  parameters.reserve(initial.size());
  for (const Tensor<float>& tensor : initial) parameters.push_back(tape.parameter(converted<E>(tensor)));
  return parameters;
}

template <class E>
Tensor<E> no_selection(Extent rows) {
  return Tensor<E>::selection(std::vector<std::int64_t>(static_cast<std::size_t>(rows), 0), vocabulary);
}

}  // namespace

std::vector<Tensor<float>> initial_parameters(std::uint64_t seed) {
  Normal normal(seed + 8, 1.0);
  Xavier xavier(seed + 7);
  std::vector<Tensor<float>> initial;
  initial.push_back(normal.tensor<float>({vocabulary, embedding_width}));
  initial.push_back(xavier.tensor<float>({context * embedding_width, hidden_width}));
  initial.push_back(xavier.tensor<float>({hidden_width}));
  initial.push_back(xavier.tensor<float>({hidden_width, vocabulary}));
  initial.push_back(xavier.tensor<float>({vocabulary}));
  return initial;
}

template <class E>
TrainingStep<E> record_training_step(const std::vector<Tensor<float>>& initial, Extent rows) {
  Tape<E> tape;
  const std::vector<Value<E>> parameters = record_parameters(tape, initial);
  const Value<E> contexts = tape.input(no_selection<E>(rows * context));
  const Value<E> targets = tape.input(no_selection<E>(rows));
  const Value<E> loss = cross_entropy(logits(parameters, contexts, rows), targets);
  const std::size_t forward_nodes = tape.size();
  Adjoints adjoints = tape.differentiate(loss, Symbols(parameters.begin(), parameters.end()));
  Network<E> network = std::move(tape).seal();
  Plan<E> plan = network.entry(adjoints.roots()).lower();
  return {std::move(network), contexts, targets, std::move(adjoints), forward_nodes, std::move(plan)};
}

template <class E>
Batch<E> make_batch(std::span<const Sample> samples) {
  std::vector<std::int64_t> contexts;
  std::vector<std::int64_t> targets;
  for (const Sample& sample : samples) {
    contexts.insert(contexts.end(), sample.characters.begin(), sample.characters.end());
    targets.push_back(sample.next);
  }
  return {Tensor<E>::selection(std::move(contexts), vocabulary),
          Tensor<E>::selection(std::move(targets), vocabulary)};
}

std::vector<std::string> sample_names(const std::vector<Tensor<float>>& parameters, int count,
                                      std::uint64_t seed) {
  Tape<float> tape;
  const std::vector<Value<float>> values = record_parameters(tape, parameters);
  const Value<float> window_input = tape.input(no_selection<float>(context));
  const Symbol probabilities = softmax(logits(values, window_input, 1), 1);
  const Symbol window_symbol = window_input;
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry(probabilities).lower();
  const Parameters<float> state = network.parameters();

  SplitMix64 random(seed + 7);
  constexpr std::size_t longest = 64;  // an untrained model may never draw the end token
  std::vector<std::string> names;
  while (static_cast<int>(names.size()) < count) {
    std::vector<std::int64_t> window(context, 0);
    std::string name;
    while (name.size() < longest) {
      const Run<float> run =
          plan.forward(state, {{window_symbol, Tensor<float>::selection(window, vocabulary)}});
      const Elements<float> row = run.of(probabilities).elements();
      double remaining = random.unit();
      std::int64_t token = 0;
      while (token < vocabulary - 1 && remaining >= row[static_cast<std::size_t>(token)]) {
        remaining -= row[static_cast<std::size_t>(token)];
        ++token;
      }
      if (token == 0) break;
      name += letter(token);
      window.erase(window.begin());
      window.push_back(token);
    }
    names.push_back(name);
  }
  return names;
}

template TrainingStep<float> record_training_step(const std::vector<Tensor<float>>&, Extent);
template TrainingStep<double> record_training_step(const std::vector<Tensor<float>>&, Extent);
template Batch<float> make_batch(std::span<const Sample>);
template Batch<double> make_batch(std::span<const Sample>);

}  // namespace makemore
