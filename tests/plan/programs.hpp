// Programs that the tests of the engine and of sessions share, and what they vary.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "kernels/thread_pool.hpp"
#include "support/op_cases.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/losses.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

/// Other threads and another instruction set for the length of a test.
class Machine {
 public:
  Machine() : threads_(kernels::ThreadPool::global().threads()) {}
  Machine(std::size_t threads, std::optional<std::string_view> instruction_set) : Machine() {
    use(threads, instruction_set);
  }
  ~Machine() {
    kernels::ThreadPool::global().resize(threads_);
    kernels::use_instruction_set(std::nullopt);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  void use(std::size_t threads, std::optional<std::string_view> instruction_set) {
    if (kernels::ThreadPool::global().threads() != threads) kernels::ThreadPool::global().resize(threads);
    kernels::use_instruction_set(instruction_set);
  }

 private:
  std::size_t threads_;
};

/// Everything that may not change a bit.
struct Setting {
  EngineOptions options;
  std::string_view instruction_set;
  std::size_t threads;

  std::string describe() const {
    return fmt::format("fuse {}, poison {:#x}, {}, {} threads", options.fuse, int(*options.poison),
                       instruction_set, threads);
  }
};

/// Every combination; neighbours differ in all of them.
inline std::vector<Setting> settings() {
  const std::vector<std::string_view> sets = kernels::instruction_sets();
  std::vector<Setting> all;
  for (const std::size_t threads : {1, 2, 3, 8}) {
    for (const bool fuse : {true, false}) {
      for (const unsigned char poison : {0x00, 0xFF}) {
        for (const std::string_view set : sets) all.push_back({{fuse, poison}, set, threads});
      }
    }
  }
  std::vector<Setting> spread;
  for (std::size_t i = 0; i < all.size(); ++i) spread.push_back(all[i * 11 % all.size()]);
  return spread;
}

/// The elements of a session's value, as a tensor of the shape that the program gives it.
template <class E>
Tensor<E> tensor_of(const Session<E>& session, const Plan<E>& plan, const Symbol& symbol) {
  const std::span<const E> elements = session.value(symbol);
  return Tensor<E>(plan.graph()[symbol.index()].shape, std::vector<E>(elements.begin(), elements.end()));
}

/// The results have the interpreter's bits under every n-th setting; check(plan, setting) sees each plan.
template <class E, class Check>
void expect_the_interpreters_bits(const Network<E>& network, const Symbols& results, const Feeds<E>& feeds,
                                  std::size_t every, const Check& check) {
  const auto expected = network.entry(results).interpret(network.parameters(), feeds);
  Machine machine;
  const std::vector<Setting> all = settings();
  for (std::size_t i = 0; i < all.size(); i += every) {
    machine.use(all[i].threads, all[i].instruction_set);
    const Plan<E> plan = network.entry(results).engine(all[i].options).lower();
    const auto found = plan.forward(network.parameters(), feeds);
    for (const Symbol& result : results) {
      EXPECT_TRUE(same_bits(found.of(result), expected.of(result)))
          << "node " << result.index() << ", " << all[i].describe();
    }
    check(plan, all[i]);
  }
}

template <class E>
bool same_parameters(const Parameters<E>& a, const Parameters<E>& b) {
  for (std::size_t slot = 0; slot < a.size(); ++slot) {
    if (!same_bits(a.payloads()[slot], b.payloads()[slot])) return false;
  }
  return a.size() == b.size();
}

template <class E>
Tensor<E> spread_by(double scale, const Shape& shape, std::uint32_t seed) {
  return scattered<E>(shape, seed) * Tensor<E>::filled(shape, static_cast<E>(scale));
}

/// Rows of one class each, from a fixed sequence.
template <class E>
Tensor<E> classes(Extent rows, Extent count, std::uint64_t seed) {
  std::vector<std::int64_t> indices;
  std::uint64_t state = seed * 2654435761u + 1;
  for (Extent row = 0; row < rows; ++row) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    indices.push_back(static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(count)));
  }
  return Tensor<E>::selection(std::move(indices), count);
}

/// A classifier of three characters, with its gradient and the update that descends it. Between the embedding
/// and the loss it may be held in bf16.
template <class E>
struct Classifier {
  Symbol characters, targets, rate, logits, loss, witness;  // the witness reads every new value
  Adjoints adjoints;
  std::vector<Update> updates;
  Network<E> network;
  Extent batch, vocabulary;

  Feeds<E> feeds(std::uint64_t seed) const {
    return {{characters, classes<E>(batch * 3, vocabulary, 2 * seed)},
            {targets, classes<E>(batch, vocabulary, 2 * seed + 1)}};
  }
  Entry<E> training() const { return network.entry(adjoints.roots()).update(updates); }
};

template <class E>
Classifier<E> classifier(Extent batch, Extent vocabulary = 27, Extent embedding = 8, Extent width = 48,
                         Precision precision = Precision::working) {
  Tape<E> tape;
  const auto table = tape.parameter(spread_by<E>(0.5, {vocabulary, embedding}, 1));
  const auto first = tape.parameter(spread_by<E>(0.2, {3 * embedding, width}, 2));
  const auto first_bias = tape.parameter(spread_by<E>(0.1, {width}, 3));
  const auto second = tape.parameter(spread_by<E>(0.1, {width, vocabulary}, 4));
  const auto second_bias = tape.parameter(spread_by<E>(0.1, {vocabulary}, 5));
  const auto characters = tape.input(classes<E>(3 * batch, vocabulary, 6));
  const auto targets = tape.input(classes<E>(batch, vocabulary, 7));
  const auto rate = tape.input(Tensor<E>(static_cast<E>(0.1)));
  const auto embedded = reshape(gather(table, characters), Shape({batch, 3 * embedding}));
  const auto layer = [&](const Value<E>& x, const Value<E>& weights, const Value<E>& bias) {
    const auto product = matmul(x, convert(weights, precision));
    return product + broadcast_along(convert(bias, precision), 0, batch);
  };
  const auto hidden = tanh(layer(convert(embedded, precision), first, first_bias));
  const auto logits = convert(layer(hidden, second, second_bias), Precision::working);
  const auto loss = cross_entropy(logits, targets);
  const Adjoints adjoints = tape.differentiate(loss, {table, first, first_bias, second, second_bias});
  const std::vector<Update> updates = record_sgd(tape, adjoints, rate);
  Value<E> witness = loss;
  for (const Update& update : updates) witness = witness + sum(tape.resolve(update.value));
  return {characters, targets,   rate, logits, loss, witness, adjoints, updates, std::move(tape).seal(),
          batch,      vocabulary};
}

}  // namespace topos::testing
