// A compiled plan: buffers, and steps that run one after the other. Immutable; what a run writes is a
// workspace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/thread_pool.hpp"
#include "plan/engine/layout.hpp"
#include "topos/plan/engine.hpp"

namespace topos::engine {

using kernels::ThreadPool;
using BufferIndex = std::uint32_t;
using StepIndex = std::uint32_t;

/// What one step needs of a run: where the buffers lie.
template <class F>
struct Memory {
  std::vector<F*> buffers;                             ///< by buffer
  std::vector<std::span<const std::int64_t>> indices;  ///< by buffer, of those that are selections
  std::byte* scratch = nullptr;                        ///< 64-byte aligned, the steps' own while they run
  ThreadPool* pool = nullptr;

  const F* at(BufferIndex buffer, Extent offset) const { return buffers[buffer] + offset; }
};

/// Where an operand's elements begin.
struct Operand {
  BufferIndex buffer = 0;
  Extent offset = 0;

  template <class F>
  const F* at(const Memory<F>& memory) const {
    return memory.at(buffer, offset);
  }
};

/// One call of a kernel.
template <class F>
class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;
  /// No heap allocation, unless the step is a reference loop.
  virtual void run(const Memory<F>& memory) const = 0;
  /// Whether run() can throw: then nothing may have been overwritten that a caller still needs.
  virtual bool may_throw() const { return false; }
  virtual std::size_t scratch_bytes(std::size_t threads) const {
    (void)threads;
    return 0;
  }
  /// Takes over the addition of a row of elements to each row of the matrices it writes, one row for each
  /// matrix, `stride` apart. False where the step cannot.
  virtual bool take_addend(const Operand& rows, Extent stride) {
    (void)rows, (void)stride;
    return false;
  }
  /// "gemm f32 14x32: %3 [64, 100]".
  virtual std::string describe() const = 0;
};

/// Whose memory a buffer is.
enum class Storage { leaf, parameter, input, arena, result, update };

struct Buffer {
  Storage storage = Storage::arena;
  Extent volume = 0;
  std::size_t slot = 0;              ///< leaf, parameter, input: which
  NodeIndex node = 0;                ///< whose value it first held
  std::optional<StepIndex> written;  ///< none: before the first step
  StepIndex last_read = 0;
  bool is_read = false;               ///< elements wanted by some step or result
  bool never_negative_zero = false;   ///< so that adding +0 changes nothing
  bool indices_wanted = false;        ///< a selection's indices wanted
  bool takes_selection = false;       ///< some step reads a selection's indices, or the matrix if it is none
  std::optional<BufferIndex> shares;  ///< lies where this buffer, dead by then, lay
  std::optional<BufferIndex> place;   ///< the first of those that share so; none: this one
  std::size_t arena_offset = 0;       ///< in bytes
};

template <class F>
struct ScheduledStep {
  std::unique_ptr<Step<F>> step;
  std::vector<BufferIndex> writes;
};

/// A declared result: a buffer that holds it row-major.
struct Result {
  NodeIndex node = 0;
  BufferIndex buffer = 0;
};

template <class F>
struct Executable {
  std::shared_ptr<const Program<F>> program;
  std::vector<Tensor<F>> constants;  ///< the program's leaves by slot, then what was computed from them
  std::vector<Buffer> buffers;
  std::vector<ScheduledStep<F>> steps;
  std::vector<Result> results;
  struct UpdateTarget {
    std::size_t slot = 0;
    BufferIndex buffer = 0;  ///< holds the new value when the steps have run
    bool in_place = false;   ///< and may be the parameter's own memory
  };
  std::vector<UpdateTarget> updates;
  std::vector<BufferIndex> parameter_buffers;  ///< by slot; no_buffer where unread
  std::vector<BufferIndex> input_buffers;      ///< by slot; no_buffer where unread
  std::size_t arena_bytes = 0;

  static constexpr BufferIndex no_buffer = ~BufferIndex{0};
  std::size_t scratch_bytes(std::size_t threads) const;
  std::string describe() const;
};

/// Compiles what the schedule wants; the candidates are its patterns' matches.
template <class F>
std::shared_ptr<const Executable<F>> compile(std::shared_ptr<const Program<F>> program,
                                             const Schedule& schedule,
                                             const std::vector<Candidate>& candidates,
                                             const std::vector<Update>& updates,
                                             const EngineOptions& options);

extern template std::shared_ptr<const Executable<float>> compile(std::shared_ptr<const Program<float>>,
                                                                 const Schedule&,
                                                                 const std::vector<Candidate>&,
                                                                 const std::vector<Update>&,
                                                                 const EngineOptions&);
extern template std::shared_ptr<const Executable<double>> compile(std::shared_ptr<const Program<double>>,
                                                                  const Schedule&,
                                                                  const std::vector<Candidate>&,
                                                                  const std::vector<Update>&,
                                                                  const EngineOptions&);

}  // namespace topos::engine
