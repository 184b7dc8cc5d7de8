#include "plan/engine/executable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/instruction_set.hpp"

namespace topos::engine {
namespace {

std::string_view name(Storage storage) {
  switch (storage) {
    case Storage::leaf:
      return "constant";
    case Storage::parameter:
      return "parameter";
    case Storage::input:
      return "input";
    case Storage::arena:
      return "interior";
    case Storage::result:
      return "result";
    default:
      return "updated parameter";
  }
}

}  // namespace

template <class F>
std::size_t Executable<F>::scratch_bytes(std::size_t threads) const {
  std::size_t most = 0;
  for (const ScheduledStep<F>& scheduled : steps)
    most = std::max(most, scheduled.step->scratch_bytes(threads));
  return most;
}

template <class F>
std::string Executable<F>::describe() const {
  std::string text =
      fmt::format("steps ({}, {} threads):\n", kernels::instruction_set(), ThreadPool::global().threads());
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("{:4}  {}\n", i, steps[i].step->describe());
  text += "buffers:\n";
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const Buffer& buffer = buffers[b];
    if (!buffer.is_read && !buffer.indices_wanted) continue;
    text += fmt::format("{:>6}  %{} {}, {} elements", fmt::format("b{}", b), buffer.node,
                        name(buffer.storage), buffer.volume);
    if (buffer.written) text += fmt::format(", at {}", buffer.arena_offset);
    if (buffer.shares) text += fmt::format(", in place of b{}", *buffer.shares);
    text += "\n";
  }
  for (const UpdateTarget& update : updates) {
    text += fmt::format("parameter {} takes b{}{}\n", update.slot, update.buffer,
                        update.in_place ? " in place" : " when the steps have run");
  }
  text += fmt::format("arena: {} bytes, scratch: {} bytes\n", arena_bytes,
                      scratch_bytes(ThreadPool::global().threads()));
  return text;
}

template struct Executable<float>;
template struct Executable<double>;

}  // namespace topos::engine
