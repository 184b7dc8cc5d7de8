// Definitions of the graph layer's templates, for the elements topos ships and for a user's own.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "topos/graph/network.hpp"
#include "topos/tensor/held.hpp"

namespace topos {
namespace detail {

template <class E>
void require_recording(const Recorder<E>& recorder, NodeIndex index, const std::source_location& where) {
  using State = typename Recorder<E>::State;
  if (recorder.state == State::recording) return;
  throw UsageError(
      fmt::format("the value of node {} is stale: its tape was {}; keep its symbol and resolve it on the "
                  "reopened tape, or read it from a network; used at {}",
                  index, recorder.state == State::sealed ? "sealed" : "destroyed", topos::describe(where)));
}

template <class E>
NodeIndex append_leaf(Recorder<E>& recorder, Tensor<E> payload, Precision precision) {
  const NodeIndex index = recorder.program.graph.append(
      Node{.operation = make_operation<Leaf>(), .shape = payload.shape(), .precision = precision});
  recorder.program.leaves.push_back(held(std::move(payload), precision));
  return index;
}

/// Throws UsageError where operands are held in two ways, or a tape of E cannot hold the result so.
template <class E>
void require_precisions(const Graph& graph, const Node& node, const std::source_location& where) {
  if constexpr (std::same_as<E, float>) {
    const auto element = [&](std::size_t i) {
      return graph[node.operands[i]].precision == Precision::bf16 ? "bf16" : "f32";
    };
    if (node.operation.arity() == 2 &&
        graph[node.operands[0]].precision != graph[node.operands[1]].precision) {
      throw UsageError(
          fmt::format("[{}] its operands must have one element type; got {} (node {}) and {} (node {}): "
                      "convert one of them; recorded at {}",
                      node.operation.name(), element(0), node.operands[0], element(1), node.operands[1],
                      topos::describe(where)));
    }
  } else if (node.precision != Precision::working) {
    throw UsageError(fmt::format("[{}] only a tape of float holds values in {}; recorded at {}",
                                 node.operation.name(), name_of(node.precision), topos::describe(where)));
  }
}

template <class E>
std::optional<Tensor<E>> payload(const Program<E>& program, const Symbol& symbol) {
  const Node& node = program.graph[program.graph.resolve(symbol)];
  if (node.operation.is<Leaf>()) return program.leaves[node.slot];
  if (node.operation.is<Parameter>()) return program.parameters[node.slot];
  if (node.operation.is<Input>()) return program.inputs[node.slot];
  return std::nullopt;
}

}  // namespace detail

template <class E>
Shape Value<E>::shape(const Where& where) const {
  detail::require_recording(*recorder_, index_, where);
  return recorder_->program.graph[index_].shape;
}

template <class E>
Precision Value<E>::precision(const Where& where) const {
  detail::require_recording(*recorder_, index_, where);
  return recorder_->program.graph[index_].precision;
}

template <class E>
Value<E> Value<E>::apply(const Operation& operation, std::span<const Value> operands,
                         const std::source_location& where) {
  operation.require_arity(operands.size(), where);
  if (operation.is_source()) {
    throw UsageError(fmt::format("[{}] is recorded by the tape's own function; used at {}", operation.name(),
                                 topos::describe(where)));
  }
  detail::Recorder<E>& recorder = *operands[0].recorder_;
  Node node{.operation = operation};
  std::array<const Shape*, 2> shapes{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& operand = operands[i];
    detail::require_recording(*operand.recorder_, operand.index_, where);
    if (operand.recorder_ != operands[0].recorder_) {
      throw UsageError(
          fmt::format("[{}] its operands, nodes {} and {}, belong to two different tapes; recorded at {}",
                      operation.name(), operands[0].index_, operand.index_, topos::describe(where)));
    }
    node.operands[i] = operand.index_;
    shapes[i] = &recorder.program.graph[operand.index_].shape;
  }
  node.shape = operation.infer_shape(std::span(shapes).first(operands.size()), where);
  node.precision = operation.result_precision(recorder.program.graph[node.operands[0]].precision);
  detail::require_precisions<E>(recorder.program.graph, node, where);
  return Value(operands[0].recorder_, recorder.program.graph.append(std::move(node)));
}

template <class E>
Value<E> Value<E>::leaf(Tensor<E> payload, const Where& where) const {
  return Value(recorder_, detail::append_leaf(*recorder_, std::move(payload), precision(where)));
}

template <class E>
Value<E> Value<E>::resolve(const Symbol& symbol, const Where& where) const {
  detail::require_recording(*recorder_, index_, where);
  return Value(recorder_, recorder_->program.graph.resolve(symbol));
}

template <class E>
Value<E> Value<E>::combine(const Operation& operation, const Value& a, const Operand& b) {
  if (b.value) return topos::apply(operation, a, *b.value, b.where);
  const Shape shape = a.shape(b.where);
  operation.infer_shape(std::array{&shape, &b.literal->shape()}, b.where);
  return topos::apply(operation, a, a.leaf(*b.literal, b.where), b.where);
}

template <class E>
Value<E> Value<E>::combine(const Operation& operation, const Literal& a, const Value& b) {
  const Shape shape = b.shape(a.where);
  operation.infer_shape(std::array{&a.payload.shape(), &shape}, a.where);
  return topos::apply(operation, b.leaf(a.payload, a.where), b, a.where);
}

template <class E>
Value<E> Value<E>::constant(const Shape& shape, double value) const {
  return leaf(Tensor<E>::filled(shape, detail::held_number<E>(value, precision())));
}

template <class E>
Value<E> Value<E>::lowest_finite(const Shape& shape) const {
  return leaf(Tensor<E>::filled(shape, detail::lowest_finite_held<E>(precision())));
}

template <class E>
Tape<E>::Tape() : recorder_(std::make_shared<detail::Recorder<E>>()) {}

template <class E>
Tape<E>::Tape(Program<E> program) : Tape() {
  recorder_->program = std::move(program);
}

template <class E>
Tape<E>::~Tape() {
  if (recorder_ && recorder_->state == detail::Recorder<E>::State::recording) {
    recorder_->state = detail::Recorder<E>::State::destroyed;
  }
}

template <class E>
Tape<E>& Tape<E>::operator=(Tape&& other) noexcept {
  Tape taken(std::move(other));
  std::swap(recorder_, taken.recorder_);
  return *this;
}

template <class E>
detail::Recorder<E>& Tape<E>::live(const std::source_location& where) const {
  if (!recorder_ || recorder_->state != detail::Recorder<E>::State::recording) {
    throw UsageError(
        fmt::format("this tape was sealed or moved from: record on a new one, or reopen the network; used "
                    "at {}",
                    topos::describe(where)));
  }
  return *recorder_;
}

template <class E>
Value<E> Tape<E>::leaf(Tensor<E> payload, const Where& where) {
  return Value<E>(recorder_, detail::append_leaf(live(where), std::move(payload)));
}

template <class E>
Value<E> Tape<E>::parameter(Tensor<E> initial, const Where& where) {
  Program<E>& program = live(where).program;
  const NodeIndex index =
      program.graph.append(Node{.operation = make_operation<Parameter>(), .shape = initial.shape()});
  program.parameters.push_back(std::move(initial));
  return Value<E>(recorder_, index);
}

template <class E>
Value<E> Tape<E>::input(Tensor<E> fallback, const Where& where) {
  Program<E>& program = live(where).program;
  const NodeIndex index =
      program.graph.append(Node{.operation = make_operation<Input>(), .shape = fallback.shape()});
  program.inputs.push_back(std::move(fallback));
  return Value<E>(recorder_, index);
}

template <class E>
Value<E> Tape<E>::resolve(const Symbol& symbol, const Where& where) const {
  return Value<E>(recorder_, live(where).program.graph.resolve(symbol));
}

template <class E>
std::optional<Tensor<E>> Tape<E>::payload(const Symbol& symbol) const {
  return detail::payload(live().program, symbol);
}

template <class E>
Network<E> Tape<E>::seal() && {
  detail::Recorder<E>& recorder = live();
  recorder.state = detail::Recorder<E>::State::sealed;
  // The recorder keeps what its values need to name themselves: the origin, in a graph without nodes.
  Program<E> program;
  std::swap(program, recorder.program);
  recorder.program.graph = Graph::sealed_remainder(program.graph);
  return Network<E>(std::move(program));
}

template <class E>
const Program<E>& Network<E>::live() const {
  if (!program_) throw UsageError("this network was moved from or reopened: use the one that was made of it");
  return *program_;
}

template <class E>
std::optional<Tensor<E>> Network<E>::payload(const Symbol& symbol) const {
  return detail::payload(live(), symbol);
}

template <class E>
Parameters<E> Network<E>::parameters() const {
  return Parameters<E>(graph(), live().parameters);
}

template <class E>
Tape<E> Network<E>::reopen() && {
  live();
  // Plans share the program; only its last owner may take it over.
  if (program_.use_count() == 1) {
    // Counting up and down again synchronises with the owners that let go, on whatever thread they were.
    std::shared_ptr<Program<E>>(program_).reset();
    Program<E> program = std::move(*program_);
    program_.reset();
    return Tape<E>(std::move(program));
  }
  Program<E> copy = *program_;
  program_.reset();
  return Tape<E>(std::move(copy));
}

template <class E>
Parameters<E>::Parameters(const Graph& graph, std::vector<Tensor<E>> payloads)
    : origin_(graph.origin()), nodes_(graph.parameters()), payloads_(std::move(payloads)) {
  if (payloads_.size() != nodes_.size()) {
    throw UsageError(
        fmt::format("the program has {} parameters; got {} tensors", nodes_.size(), payloads_.size()));
  }
  for (std::size_t i = 0; i < payloads_.size(); ++i) {
    if (payloads_[i].shape() != graph[nodes_[i]].shape) {
      throw UsageError(fmt::format("parameter {} (node {}) has shape {}; got a tensor of shape {}", i,
                                   nodes_[i], topos::describe(graph[nodes_[i]].shape),
                                   topos::describe(payloads_[i].shape())));
    }
  }
}

template <class E>
std::size_t Parameters<E>::slot(const Symbol& symbol) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), symbol.index());
  if (symbol.origin() != origin_ || found == nodes_.end() || *found != symbol.index()) {
    throw UsageError(fmt::format("node {} is not one of these {} parameters", symbol.index(), size()));
  }
  return static_cast<std::size_t>(found - nodes_.begin());
}

template <class E>
const Tensor<E>& Parameters<E>::of(const Symbol& symbol) const& {
  return payloads_[slot(symbol)];
}

template <class E>
Symbol Parameters<E>::symbol(std::size_t slot) const {
  if (slot >= nodes_.size()) {
    throw UsageError(fmt::format("there are {} parameters; got slot {}", nodes_.size(), slot));
  }
  return Symbol(origin_, nodes_[slot]);
}

template <class E>
Parameters<E> Parameters<E>::with(const Symbol& symbol, Tensor<E> payload) const {
  const std::size_t at = slot(symbol);
  if (payload.shape() != payloads_[at].shape()) {
    throw UsageError(fmt::format("parameter {} has shape {}; got a tensor of shape {}", at,
                                 topos::describe(payloads_[at].shape()), topos::describe(payload.shape())));
  }
  Parameters result = *this;
  result.payloads_[at] = std::move(payload);
  return result;
}

template <class E>
Parameters<E> Parameters<E>::step(
    const Parameters& direction,
    const std::function<Tensor<E>(const Tensor<E>&, const Tensor<E>&)>& update) const {
  if (direction.origin_ != origin_ || direction.size() != size()) {
    throw UsageError(
        fmt::format("a step needs one direction per parameter of the same program: {} parameters, {} "
                    "directions",
                    size(), direction.size()));
  }
  Parameters result = *this;
  for (std::size_t i = 0; i < payloads_.size(); ++i) {
    Tensor<E> updated = update(payloads_[i], direction.payloads_[i]);
    if (updated.shape() != payloads_[i].shape()) {
      throw UsageError(
          fmt::format("an update cannot change a parameter's shape: parameter {} went from {} to {}", i,
                      topos::describe(payloads_[i].shape()), topos::describe(updated.shape())));
    }
    result.payloads_[i] = std::move(updated);
  }
  return result;
}

template <class E>
Parameters<E> Parameters<E>::carried_to(const Network<E>& network) const {
  Parameters result = network.parameters();
  if (result.origin_ != origin_ || result.size() < size()) {
    throw UsageError(
        fmt::format("parameters carry over only to a later state of their own program: {} parameters "
                    "here, {} there",
                    size(), result.size()));
  }
  std::copy(payloads_.begin(), payloads_.end(), result.payloads_.begin());
  return result;
}

}  // namespace topos
