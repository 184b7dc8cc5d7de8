// The memory one run of an executable writes.
#pragma once

#include <cstdlib>
#include <memory>

#include "plan/engine/executable.hpp"
#include "topos/graph/network.hpp"

namespace topos::engine {

/// 64-byte aligned, so that no vector straddles two cache lines.
struct AlignedDelete {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<std::byte, AlignedDelete>;
AlignedBytes allocate_aligned(std::size_t bytes, std::optional<unsigned char> poison);

/// Binds sources, runs the steps. Used by one thread at a time.
template <class F>
class Workspace {
 public:
  Workspace(std::shared_ptr<const Executable<F>> executable, std::optional<unsigned char> poison);

  /// The parameter's elements for the next runs; they must stay where they are.
  void bind_parameter(std::size_t slot, const F* elements);
  /// Where an updated parameter's new value is to be written (in place of the old, if it may be).
  void bind_update(BufferIndex buffer, F* elements) { memory_.buffers[buffer] = elements; }
  /// Checks all feeds, then binds them, and every other input's default. Throws UsageError.
  void bind_feeds(std::span<const Feed<F>> feeds);
  void run();
  /// Lets go of what the feeds held.
  void release_feeds();

  const F* buffer(BufferIndex index) const { return memory_.buffers[index]; }
  const Executable<F>& executable() const { return *executable_; }

 private:
  struct Input {
    Elements<F> elements{nullptr, {}};
    std::shared_ptr<const Selection> selection;
    std::vector<std::int64_t> indices;  // of a dense one-hot matrix
    std::vector<F> one_hot;             // of a selection that something reads as a matrix
    bool fed = false;
  };
  void bind_leaves();
  void bind_input(std::size_t slot, const Tensor<F>& payload);

  std::shared_ptr<const Executable<F>> executable_;
  std::optional<unsigned char> poison_;
  Memory<F> memory_;
  AlignedBytes arena_;
  AlignedBytes scratch_;
  std::size_t scratch_bytes_ = 0;
  std::size_t threads_ = 0;
  std::vector<Input> inputs_;  // by slot
  std::vector<std::vector<std::int64_t>> leaf_indices_;
  std::vector<Elements<F>> leaves_;
};

extern template class Workspace<float>;
extern template class Workspace<double>;

}  // namespace topos::engine
