#include "plan/engine/memory_plan.hpp"

#include <algorithm>

#include "plan/engine/arena.hpp"
#include "plan/engine/claimed_items.hpp"

namespace topos::engine {
namespace {

// In place: a group's output may lie where an operand lies that dies there, each element being read before
// its place is written.
template <class F>
void share_memory(std::vector<Buffer>& buffers, std::span<const PlacedGroup<F>> groups) {
  std::vector<bool> taken(buffers.size(), false);
  for (const auto& [at, group] : groups) {
    for (const BufferIndex output : group->outputs()) {
      if (!buffers[output].is_read || buffers[output].storage != Storage::arena) continue;
      for (const BufferIndex operand : group->loaded_buffers()) {
        Buffer& dying = buffers[operand];
        if (taken[operand] || dying.storage != Storage::arena || dying.volume != buffers[output].volume ||
            dying.last_read != at || !dying.written || *dying.written >= at)
          continue;
        const auto plain = group->last_plain_read(operand);
        if (!plain || *plain > group->position(output)) continue;
        buffers[output].shares = operand;
        buffers[output].place = dying.place.value_or(operand);
        taken[operand] = true;
        break;
      }
    }
  }
}

// Each buffer's place from the step that writes it to the last that reads it, or that reads what shares its
// place.
template <class F>
void place_in_arena(Executable<F>& executable, std::span<const PlacedGroup<F>> groups) {
  std::vector<Buffer>& buffers = executable.buffers;
  for (const Buffer& buffer : buffers) {
    if (!buffer.place) continue;
    StepIndex& last_read = buffers[*buffer.place].last_read;
    last_read = std::max(last_read, buffer.last_read);
  }
  const auto size_of = [](const Buffer& buffer) {
    return whole_lines(static_cast<std::size_t>(buffer.volume) * sizeof(F));
  };
  const auto end = static_cast<StepIndex>(executable.steps.size());
  std::vector<bool> is_group(end, false);
  for (const auto& [at, group] : groups) is_group[at] = true;
  Arena arena;
  std::vector<std::vector<BufferIndex>> dying(end);
  for (StepIndex now = 0; now < end; ++now) {
    for (const BufferIndex b : executable.steps[now].writes) {
      Buffer& buffer = buffers[b];
      const bool stays_in_tiles = !buffer.is_read && is_group[now];  // other steps write theirs, read or not
      if (stays_in_tiles || buffer.shares || buffer.volume == 0) continue;
      buffer.arena_offset = arena.take(size_of(buffer));
      if (buffer.last_read < end) dying[std::max(now, buffer.last_read)].push_back(b);
    }
    for (const BufferIndex b : dying[now]) arena.give_back(buffers[b].arena_offset, size_of(buffers[b]));
  }
  executable.arena_bytes = arena.size();
  for (Buffer& buffer : buffers) {
    if (buffer.place) buffer.arena_offset = buffers[*buffer.place].arena_offset;
  }
}

}  // namespace

template <class F>
void place_in_memory(Executable<F>& executable, std::span<const PlacedGroup<F>> groups) {
  share_memory<F>(executable.buffers, groups);
  place_in_arena<F>(executable, groups);
}

template void place_in_memory(Executable<float>&, std::span<const PlacedGroup<float>>);
template void place_in_memory(Executable<double>&, std::span<const PlacedGroup<double>>);

}  // namespace topos::engine
