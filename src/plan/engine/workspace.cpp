#include "plan/engine/workspace.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "topos/base/float_environment.hpp"
#include "topos/plan/checks.hpp"
#include "topos/tensor/reference/selection.hpp"

namespace topos::engine {

AlignedBytes allocate_aligned(std::size_t bytes, std::optional<unsigned char> poison) {
  constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;
  const std::size_t alignment = bytes >= large_page ? large_page : line;
  const std::size_t rounded = std::max(line, (bytes + line - 1) / line * line);
  void* address = nullptr;
  if (::posix_memalign(&address, alignment, rounded) != 0) throw std::bad_alloc();
  AlignedBytes memory(static_cast<std::byte*>(address));
#ifdef MADV_HUGEPAGE
  // What streams through the caches takes a tenth less time so; where the system declines, nothing is lost.
  // To find very many such pages may take the system longer than they save.
  constexpr std::size_t most = std::size_t{64} << 20;
  if (bytes >= large_page && bytes <= most)
    (void)::madvise(address, rounded / large_page * large_page, MADV_HUGEPAGE);
#endif
  if (poison) std::memset(memory.get(), *poison, rounded);
  return memory;
}

template <class F>
Workspace<F>::Workspace(std::shared_ptr<const Executable<F>> executable, std::optional<unsigned char> poison)
    : executable_(std::move(executable)), poison_(poison) {
  memory_.buffers.resize(executable_->buffers.size(), nullptr);
  memory_.indices.resize(executable_->buffers.size());
  arena_ = allocate_aligned(executable_->arena_bytes, poison_);
  for (std::size_t b = 0; b < executable_->buffers.size(); ++b) {
    const Buffer& buffer = executable_->buffers[b];
    if (buffer.storage == Storage::arena || buffer.storage == Storage::result ||
        buffer.storage == Storage::update)
      memory_.buffers[b] = reinterpret_cast<F*>(arena_.get() + buffer.arena_offset);
  }
  inputs_.resize(executable_->program->inputs.size());
  bind_leaves();
  memory_.pool = &ThreadPool::global();
}

template <class F>
void Workspace<F>::bind_leaves() {
  for (std::size_t b = 0; b < executable_->buffers.size(); ++b) {
    const Buffer& buffer = executable_->buffers[b];
    if (buffer.storage != Storage::leaf) continue;
    const Tensor<F>& payload = executable_->constants[buffer.slot];
    const Selection* selection = payload.as_selection();
    if (buffer.is_read || (buffer.takes_selection && !selection)) {
      leaves_.push_back(payload.is_uniform() ? payload.narrowed_to_one().elements() : payload.elements());
      memory_.buffers[b] = const_cast<F*>(leaves_.back().data());  // no step writes a leaf
    }
    if (buffer.indices_wanted || (buffer.takes_selection && selection))
      memory_.indices[b] = selection->indices;
  }
}

template <class F>
void Workspace<F>::bind_parameter(std::size_t slot, const F* elements) {
  const BufferIndex buffer = executable_->parameter_buffers[slot];
  if (buffer != Executable<F>::no_buffer)
    memory_.buffers[buffer] = const_cast<F*>(elements);  // written only where an update was bound to it
}

template <class F>
void Workspace<F>::bind_input(std::size_t slot, const Tensor<F>& payload) {
  const BufferIndex index = executable_->input_buffers[slot];
  if (index == Executable<F>::no_buffer) return;
  const Buffer& buffer = executable_->buffers[index];
  Input& input = inputs_[slot];
  const Selection* selection = payload.as_selection();
  if (buffer.indices_wanted) {
    if (selection) {
      memory_.indices[index] = selection->indices;
    } else {
      input.indices = reference::row_indices(payload);
      memory_.indices[index] = input.indices;
    }
  }
  if (buffer.takes_selection && !buffer.indices_wanted)
    memory_.indices[index] =
        selection ? std::span<const std::int64_t>(selection->indices) : std::span<const std::int64_t>();
  if (!buffer.is_read && !(buffer.takes_selection && !selection)) return;
  if (selection) {
    input.one_hot.assign(static_cast<std::size_t>(payload.volume()), F{0});
    for (std::size_t row = 0; row < selection->indices.size(); ++row) {
      input.one_hot[row * static_cast<std::size_t>(selection->classes) +
                    static_cast<std::size_t>(selection->indices[row])] = F{1};
    }
    memory_.buffers[index] = input.one_hot.data();
  } else {
    input.elements = payload.elements();
    memory_.buffers[index] = const_cast<F*>(input.elements.data());  // no step writes an input
  }
}

template <class F>
void Workspace<F>::bind_feeds(std::span<const Feed<F>> feeds) {
  const Program<F>& program = *executable_->program;
  for (Input& input : inputs_) input.fed = false;
  for (const Feed<F>& feed : feeds) {
    Input& input = inputs_[topos::detail::check_feed(program, feed)];
    if (input.fed) throw UsageError(fmt::format("input node {} is fed twice", feed.input.index()));
    input.fed = true;
  }
  for (std::size_t slot = 0; slot < inputs_.size(); ++slot) {
    if (!inputs_[slot].fed) bind_input(slot, program.inputs[slot]);
  }
  for (const Feed<F>& feed : feeds) bind_input(program.graph[feed.input.index()].slot, feed.value);
}

template <class F>
void Workspace<F>::release_feeds() {
  for (Input& input : inputs_) input.elements = Elements<F>(nullptr, {});
}

template <class F>
void Workspace<F>::run() {
  const DefaultFloatEnvironment environment;
  if (threads_ != memory_.pool->threads()) {
    threads_ = memory_.pool->threads();
    const std::size_t bytes = executable_->scratch_bytes(threads_);
    if (bytes > scratch_bytes_) {
      scratch_ = allocate_aligned(bytes, poison_);
      scratch_bytes_ = bytes;
    }
    memory_.scratch = scratch_.get();
  }
  for (const ScheduledStep<F>& scheduled : executable_->steps) scheduled.step->run(memory_);
}

template class Workspace<float>;
template class Workspace<double>;

}  // namespace topos::engine
