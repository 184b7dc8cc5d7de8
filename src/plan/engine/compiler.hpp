// Turns a schedule into steps. Each operation's file in lowering/ says how it becomes one.
#pragma once

#include <map>

#include "plan/engine/executable.hpp"
#include "topos/plan/patterns/election.hpp"

namespace topos::engine {

template <class F>
class ElementwiseStep;

template <class F>
class Compiler {
 public:
  Compiler(std::shared_ptr<const Program<F>> program, const Schedule& schedule, const Election& election,
           const EngineOptions& options);

  /// Lowers one node; its operands have been.
  void lower(NodeIndex index);
  /// Lowers the candidate's root as one step; what it reads has been lowered.
  void lower(const Candidate& candidate);
  std::shared_ptr<const Executable<F>> finish(const std::vector<NodeIndex>& results,
                                              const std::vector<Update>& updates);

  // For the lowerings.
  const Graph& graph() const { return program_->graph; }
  const Node& node(NodeIndex index) const { return graph()[index]; }

  struct Value {
    Layout layout;
    BufferIndex buffer = 0;
  };
  const Value& value(NodeIndex index) const { return values_[index]; }
  /// The node's elements in row-major order, copied there by a step if they lie otherwise.
  Value row_major(NodeIndex index);
  /// The node's elements contiguous with the axes in `order`, outermost first, copied there if they lie
  /// otherwise.
  Value dense_in(NodeIndex index, std::span<const Axis> order);
  /// The node is `layout` of a buffer that exists.
  void define_view(NodeIndex index, Layout layout, BufferIndex buffer);
  /// The node is what a step writes to a new buffer; `layout` must be dense.
  BufferIndex define_output(NodeIndex index, Layout layout);
  /// Appends a step. Reads and writes are whole buffers, in any order.
  StepIndex append(std::unique_ptr<Step<F>> step, const std::vector<BufferIndex>& reads,
                   const std::vector<BufferIndex>& writes);
  /// A selection given from outside (an input, a leaf): its indices' buffer. None for a computed one.
  std::optional<BufferIndex> indices(NodeIndex index);
  /// The classes of a source that may be a selection, whose buffer may be read as one; else 0.
  Extent selection_classes(BufferIndex buffer) const;
  /// The step after which the buffer holds its elements; none: from the start.
  std::optional<StepIndex> available(BufferIndex buffer) const {
    return executable_->buffers[buffer].written;
  }
  /// Whether adding +0 to the operand could show in a result: not if its elements are never -0, or if the
  /// signs of the sum's zeros do not matter.
  bool adding_zero_shows(NodeIndex operand, NodeIndex total) const {
    return zero_signs_[total] && !buffer(value(operand).buffer).never_negative_zero;
  }
  /// Sums from +0 never end at -0.
  void never_negative_zero(BufferIndex buffer) { executable_->buffers[buffer].never_negative_zero = true; }
  const Buffer& buffer(BufferIndex index) const { return executable_->buffers[index]; }
  /// The payload of a buffer that is a constant.
  const Tensor<F>& constant(const Buffer& buffer) const { return executable_->constants[buffer.slot]; }
  /// How often what is lowered reads the node, or a result is it.
  std::size_t readers(NodeIndex index) const { return readers_[index]; }
  /// The one node that reads it, if that is lowered as itself.
  std::optional<NodeIndex> only_reader(NodeIndex index) const {
    return readers_[index] == 1 ? last_reader_[index] : std::nullopt;
  }
  /// The element that every element of the node is, when that is known now.
  std::optional<F> known_uniform(NodeIndex index) const;

  // For elementwise groups, which go on growing after they were appended (lowering/elementwise.cpp).
  const EngineOptions& options() const { return options_; }
  /// The elementwise group that is this step; null for another kind.
  ElementwiseStep<F>* group_at(StepIndex step) const;
  void add_group(StepIndex step, ElementwiseStep<F>* group) { groups_.emplace_back(step, group); }
  /// The step reads the buffer's elements, or, if it takes a selection and the buffer is one, its indices.
  void add_reads(StepIndex step, BufferIndex buffer, bool takes_selection = false);
  Step<F>& step_at(StepIndex step) { return *executable_->steps[step].step; }
  void add_write(StepIndex step, BufferIndex buffer);
  StepIndex next_step() const { return static_cast<StepIndex>(executable_->steps.size()); }
  /// The last nodes of this operation that read this buffer first.
  std::vector<NodeIndex>& computed(const Operation& operation, BufferIndex buffer) {
    return computed_[{operation.opcode(), buffer}];
  }
  /// For a value that some step will write.
  BufferIndex new_buffer(NodeIndex node, Extent volume);

 private:
  void count_readers(const Schedule& schedule, const Election& election);
  BufferIndex new_buffer(const Buffer& buffer);
  void define_source(NodeIndex index);
  bool fold(NodeIndex index);
  Tensor<F> constant_value(NodeIndex index, const Shape& shape) const;
  void define_constant(NodeIndex index, std::size_t slot);
  Value copied(const Value& from, NodeIndex index, std::span<const Axis> order);
  bool is_whole_interior(const Value& value, NodeIndex index) const;
  void keep(BufferIndex buffer, Storage storage);
  BufferIndex define_result(NodeIndex index);
  void define_updates(const std::vector<Update>& updates);

  std::shared_ptr<const Program<F>> program_;
  EngineOptions options_;
  std::shared_ptr<Executable<F>> executable_;
  std::vector<std::size_t> readers_;                   // by node
  std::vector<std::optional<NodeIndex>> last_reader_;  // by node
  std::vector<bool> zero_signs_;                       // by node: wanted
  std::vector<Value> values_;                          // by node
  std::vector<std::optional<BufferIndex>> row_major_;  // by node: a copy made before
  std::map<std::pair<std::size_t, BufferIndex>, std::vector<NodeIndex>> computed_;
  std::vector<std::pair<StepIndex, ElementwiseStep<F>*>> groups_;  // by ascending step
};

/// How an operation becomes steps or a view.
template <class F>
using Lowering = void (*)(Compiler<F>&, NodeIndex);

/// How a pattern's match becomes one step.
template <class F>
struct PatternLowering {
  bool (*supports)(const Graph&, const Candidate&);  ///< asked before anything is lowered
  void (*lower)(Compiler<F>&, const Candidate&);     ///< defines the candidate's root
};

extern template class Compiler<float>;
extern template class Compiler<double>;

}  // namespace topos::engine
