#include "plan/engine/compiler.hpp"

#include <algorithm>

#include "plan/engine/elementwise_step.hpp"
#include "plan/engine/lowering_list.hpp"
#include "plan/engine/memory_plan.hpp"
#include "plan/engine/pattern_lowering_list.hpp"
#include "plan/engine/steps.hpp"
#include "plan/engine/zero_signs.hpp"
#include "topos/base/float_environment.hpp"
#include "topos/ops/held_tensor.hpp"
#include "topos/ops/input.hpp"
#include "topos/ops/leaf.hpp"
#include "topos/ops/parameter.hpp"

namespace topos {
struct Convert;
}

namespace topos::engine {

template <class F>
Compiler<F>::Compiler(std::shared_ptr<const Program<F>> program, const Schedule& schedule,
                      const Election& election, const EngineOptions& options)
    : program_(std::move(program)),
      options_(options),
      executable_(std::make_shared<Executable<F>>()),
      readers_(program_->graph.size()),
      last_reader_(program_->graph.size()),
      zero_signs_(options.fuse ? zero_signs_wanted(*program_, schedule)
                               : std::vector<bool>(program_->graph.size(), true)) {
  executable_->program = program_;
  executable_->constants = program_->leaves;
  executable_->parameter_buffers.resize(program_->parameters.size(), Executable<F>::no_buffer);
  executable_->input_buffers.resize(program_->inputs.size(), Executable<F>::no_buffer);
  count_readers(schedule, election);
  values_.resize(graph().size());
  row_major_.resize(graph().size());
}

template <class F>
void Compiler<F>::count_readers(const Schedule& schedule, const Election& election) {
  for (const NodeIndex index : schedule.results()) ++readers_[index];
  for (const NodeIndex index : schedule.wanted()) {
    if (!election.needed[index]) continue;
    if (const Candidate* candidate = election.elected[index]) {
      for (const NodeIndex read : candidate->reads) ++readers_[read];
      continue;
    }
    for (const NodeIndex operand : node(index).operand_indices()) {
      ++readers_[operand];
      last_reader_[operand] = index;
    }
  }
}

template <class F>
void Compiler<F>::lower(NodeIndex index) {
  const Node& node = graph()[index];
  if (node.operation.is_source()) return define_source(index);
  if (node.shape.volume() == 0) {  // nothing to compute
    define_output(index, Layout::row_major(node.shape));
    return;
  }
  if (fold(index)) return;
  if (const Lowering<F> lowering = lowering_of<F>(node.operation)) {
    lowering(*this, index);
  } else {
    lower_by_reference(*this, index);
  }
  if (node.precision == Precision::bf16) round_to_bf16(*this, index);
}

template <class F>
void Compiler<F>::lower(const Candidate& candidate) {
  pattern_lowering_of<F>(candidate)->lower(*this, candidate);
}

template <class F>
void Compiler<F>::define_source(NodeIndex index) {
  const Node& node = graph()[index];
  if (node.operation.is<Leaf>()) return define_constant(index, node.slot);
  Buffer buffer;
  buffer.node = index;
  buffer.slot = node.slot;
  buffer.volume = node.shape.volume();
  buffer.storage = node.operation.is<Parameter>() ? Storage::parameter : Storage::input;
  const BufferIndex at = new_buffer(buffer);
  if (buffer.storage == Storage::parameter) executable_->parameter_buffers[node.slot] = at;
  if (buffer.storage == Storage::input) executable_->input_buffers[node.slot] = at;
  define_view(index, Layout::row_major(node.shape), at);
}

template <class F>
void Compiler<F>::define_constant(NodeIndex index, std::size_t slot) {
  const Shape& shape = node(index).shape;
  const bool is_uniform = executable_->constants[slot].is_uniform();
  Buffer buffer;
  buffer.node = index;
  buffer.slot = slot;
  buffer.storage = Storage::leaf;
  buffer.volume = is_uniform ? 1 : shape.volume();
  define_view(index, is_uniform ? Layout().repeated_to(shape) : Layout::row_major(shape), new_buffer(buffer));
}

// An elementwise operation on constants is one: computed now, by its reference loop.
template <class F>
bool Compiler<F>::fold(NodeIndex index) {
  constexpr Extent most = 1 << 20;  // more would rather be computed again than kept
  const Node& node = graph()[index];
  if (!options_.fuse || !node.operation.is_elementwise() || node.shape.volume() > most) return false;
  bool is_uniform = true;
  for (const NodeIndex operand : node.operand_indices()) {
    const Buffer& buffer = executable_->buffers[values_[operand].buffer];
    if (buffer.storage != Storage::leaf || constant(buffer).as_selection()) return false;
    is_uniform = is_uniform && values_[operand].layout.is_uniform();
  }
  const DefaultFloatEnvironment environment;
  const Shape shape = is_uniform ? Shape() : node.shape;
  std::vector<Tensor<F>> operands;
  for (const NodeIndex operand : node.operand_indices()) operands.push_back(constant_value(operand, shape));
  Tensor<F> result = topos::detail::evaluate_held<F>(node.operation, operands, shape, node.precision);
  executable_->constants.push_back(is_uniform ? Tensor<F>::filled(node.shape, result.item())
                                              : std::move(result));
  define_constant(index, executable_->constants.size() - 1);
  return true;
}

/// The elements of a layout of a constant.
template <class F>
Tensor<F> Compiler<F>::constant_value(NodeIndex index, const Shape& shape) const {
  const Value& value = values_[index];
  const Tensor<F>& payload = constant(executable_->buffers[value.buffer]);
  const Elements<F> from = payload.is_uniform() ? payload.narrowed_to_one().elements() : payload.elements();
  std::vector<F> elements(static_cast<std::size_t>(shape.volume()));
  const std::vector<StridedAxis> axes =
      shape.rank() == 0 ? std::vector<StridedAxis>() : value.layout.flattened();
  kernels::copy_strided(from.data() + value.layout.offset(), std::span<const StridedAxis>(axes), 0,
                        shape.volume(), elements.data());
  return Tensor<F>(shape, std::move(elements));
}

template <class F>
std::optional<F> Compiler<F>::known_uniform(NodeIndex index) const {
  const Value& value = values_[index];
  const Buffer& buffer = executable_->buffers[value.buffer];
  if (buffer.storage != Storage::leaf || buffer.volume != 1 || !value.layout.is_uniform())
    return std::nullopt;
  return constant(buffer).narrowed_to_one().item();
}

template <class F>
BufferIndex Compiler<F>::new_buffer(const Buffer& buffer) {
  executable_->buffers.push_back(buffer);
  return static_cast<BufferIndex>(executable_->buffers.size() - 1);
}

template <class F>
BufferIndex Compiler<F>::new_buffer(NodeIndex node, Extent volume) {
  Buffer buffer;
  buffer.node = node;
  buffer.volume = volume;
  return new_buffer(buffer);
}

template <class F>
void Compiler<F>::define_view(NodeIndex index, Layout layout, BufferIndex buffer) {
  values_[index] = {std::move(layout), buffer};
}

template <class F>
BufferIndex Compiler<F>::define_output(NodeIndex index, Layout layout) {
  const BufferIndex at = new_buffer(index, node(index).shape.volume());
  define_view(index, std::move(layout), at);
  return at;
}

template <class F>
ElementwiseStep<F>* Compiler<F>::group_at(StepIndex step) const {
  const auto found = std::lower_bound(groups_.begin(), groups_.end(), step,
                                      [](const auto& group, StepIndex at) { return group.first < at; });
  return found != groups_.end() && found->first == step ? found->second : nullptr;
}

template <class F>
void Compiler<F>::add_reads(StepIndex step, BufferIndex buffer, bool takes_selection) {
  Buffer& read = executable_->buffers[buffer];
  (takes_selection ? read.takes_selection : read.is_read) = true;
  read.last_read = std::max(read.last_read, step);
}

template <class F>
void Compiler<F>::add_write(StepIndex step, BufferIndex buffer) {
  executable_->buffers[buffer].written = step;
  executable_->steps[step].writes.push_back(buffer);
}

template <class F>
StepIndex Compiler<F>::append(std::unique_ptr<Step<F>> step, const std::vector<BufferIndex>& reads,
                              const std::vector<BufferIndex>& writes) {
  const StepIndex at = next_step();
  executable_->steps.push_back({std::move(step), {}});
  for (const BufferIndex buffer : reads) add_reads(at, buffer);
  for (const BufferIndex buffer : writes) add_write(at, buffer);
  return at;
}

template <class F>
typename Compiler<F>::Value Compiler<F>::copied(const Value& from, NodeIndex index,
                                                std::span<const Axis> order) {
  const Extent volume = node(index).shape.volume();
  const BufferIndex to = new_buffer(index, volume);
  append(std::make_unique<CopyStep<F>>(from.buffer, from.layout.offset(), from.layout.flattened(order), to,
                                       volume),
         {from.buffer}, {to});
  return {Layout::dense_in_order(node(index).shape, order), to};
}

template <class F>
typename Compiler<F>::Value Compiler<F>::row_major(NodeIndex index) {
  Value value = values_[index];
  if (value.layout.is_row_major()) return value;
  if (!row_major_[index])
    row_major_[index] = copied(value, index, identity_order(value.layout.rank())).buffer;
  return {Layout::row_major(node(index).shape), *row_major_[index]};
}

template <class F>
typename Compiler<F>::Value Compiler<F>::dense_in(NodeIndex index, std::span<const Axis> order) {
  const Value value = values_[index];
  return value.layout.is_dense_in(order) ? value : copied(value, index, order);
}

template <class F>
std::optional<BufferIndex> Compiler<F>::indices(NodeIndex index) {
  const std::vector<Node>& nodes = graph().nodes();
  while (nodes[index].operation.is<Convert>()) index = nodes[index].operands[0];  // 0 and 1 stay
  const Value& value = values_[index];
  const Node& source = nodes[index];
  if (!source.operation.is<Input>() && !source.operation.is<Leaf>()) return std::nullopt;
  if (source.operation.is<Leaf>() && !program_->leaves[source.slot].as_selection()) return std::nullopt;
  executable_->buffers[value.buffer].indices_wanted = true;
  return value.buffer;
}

template <class F>
Extent Compiler<F>::selection_classes(BufferIndex index) const {
  const Buffer& buffer = executable_->buffers[index];
  const Shape& shape = node(buffer.node).shape;
  if (shape.rank() == 0 || buffer.volume != shape.volume()) return 0;
  const bool may_be = buffer.storage == Storage::input ||
                      (buffer.storage == Storage::leaf && constant(buffer).as_selection());
  return may_be ? shape[shape.rank() - 1] : 0;
}

// Whether the value is all of a buffer that a step writes and that nothing else needs to keep yet.
template <class F>
bool Compiler<F>::is_whole_interior(const Value& value, NodeIndex index) const {
  const Buffer& buffer = executable_->buffers[value.buffer];
  return buffer.storage == Storage::arena && value.layout.offset() == 0 &&
         buffer.volume == node(index).shape.volume();
}

// Nothing overwrites the buffer until the next run.
template <class F>
void Compiler<F>::keep(BufferIndex index, Storage storage) {
  Buffer& buffer = executable_->buffers[index];
  buffer.storage = storage;
  buffer.is_read = true;
  buffer.last_read = ~StepIndex{0};
}

// A buffer that holds the node row-major and that nothing overwrites.
template <class F>
BufferIndex Compiler<F>::define_result(NodeIndex index) {
  Value value = row_major(index);
  if (!is_whole_interior(value, index)) value = copied(value, index, identity_order(value.layout.rank()));
  keep(value.buffer, Storage::result);
  return value.buffer;
}

template <class F>
std::shared_ptr<const Executable<F>> Compiler<F>::finish(const std::vector<NodeIndex>& results,
                                                         const std::vector<Update>& updates) {
  const auto is_new_value = [&](NodeIndex index) {
    return std::any_of(updates.begin(), updates.end(),
                       [&](const Update& u) { return u.value.index() == index; });
  };
  for (const NodeIndex index : results) {
    executable_->results.push_back({index, is_new_value(index) ? BufferIndex{0} : define_result(index)});
  }
  define_updates(updates);
  for (std::size_t i = 0; i < updates.size(); ++i) {  // a new value is read where the update wants it
    for (Result& result : executable_->results) {
      if (result.node == updates[i].value.index()) result.buffer = executable_->updates[i].buffer;
    }
  }
  for (const auto& [at, group] : groups_) group->finish(executable_->buffers);
  place_in_memory<F>(*executable_, groups_);
  return executable_;
}

// A parameter's new value is written where the old one lies when nothing reads the old one later.
template <class F>
void Compiler<F>::define_updates(const std::vector<Update>& updates) {
  std::vector<Value> values;
  std::vector<bool> is_copy;
  const auto copy = [&](Value& value, NodeIndex index) {
    value = copied(value, index, identity_order(value.layout.rank()));
  };
  for (const Update& update : updates) {  // first every copy that may read an old parameter
    const NodeIndex index = update.value.index();
    Value value = row_major(index);
    const std::optional<StepIndex> written = available(value.buffer);
    const ElementwiseStep<F>* const group = written ? group_at(*written) : nullptr;
    const bool own = is_whole_interior(value, index) && group && group->has_member(value.buffer);
    if (!own) copy(value, index);
    values.push_back(value);
    is_copy.push_back(!own);
  }
  const bool may_throw =
      std::any_of(executable_->steps.begin(), executable_->steps.end(),
                  [](const ScheduledStep<F>& scheduled) { return scheduled.step->may_throw(); });
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const std::size_t slot = node(updates[i].parameter.index()).slot;
    Value& value = values[i];
    const BufferIndex old = executable_->parameter_buffers[slot];
    bool in_place = !is_copy[i] && !may_throw && executable_->buffers[value.buffer].storage == Storage::arena;
    if (in_place && old != Executable<F>::no_buffer && executable_->buffers[old].is_read) {
      const StepIndex written = *executable_->buffers[value.buffer].written;
      const StepIndex last_read = executable_->buffers[old].last_read;
      const ElementwiseStep<F>& writer = *group_at(written);
      const auto plain = writer.last_plain_read(old);
      in_place =
          last_read < written || (last_read == written && plain && *plain <= writer.position(value.buffer));
    }
    if (!in_place && !is_copy[i]) copy(value, updates[i].value.index());
    keep(value.buffer, Storage::update);
    executable_->updates.push_back({slot, value.buffer, in_place});
  }
}

template <class F>
std::shared_ptr<const Executable<F>> compile(std::shared_ptr<const Program<F>> program,
                                             const Schedule& schedule,
                                             const std::vector<Candidate>& candidates,
                                             const std::vector<Update>& updates,
                                             const EngineOptions& options) {
  const std::vector<Candidate> none;
  const Election election = elect_steps<F>(program->graph, schedule, options.fuse ? candidates : none);
  Compiler<F> compiler(std::move(program), schedule, election, options);
  for (const NodeIndex index : schedule.wanted()) {
    if (const Candidate* candidate = election.elected[index]) {
      compiler.lower(*candidate);
    } else if (election.needed[index]) {
      compiler.lower(index);
    }
  }
  return compiler.finish(schedule.results(), updates);
}

template class Compiler<float>;
template class Compiler<double>;
template std::shared_ptr<const Executable<float>> compile(std::shared_ptr<const Program<float>>,
                                                          const Schedule&, const std::vector<Candidate>&,
                                                          const std::vector<Update>&, const EngineOptions&);
template std::shared_ptr<const Executable<double>> compile(std::shared_ptr<const Program<double>>,
                                                           const Schedule&, const std::vector<Candidate>&,
                                                           const std::vector<Update>&, const EngineOptions&);

}  // namespace topos::engine
