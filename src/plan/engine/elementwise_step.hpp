// A group of elementwise operations run tile by tile: what one operation writes, the next reads from cache.
#pragma once

#include <memory>
#include <variant>

#include "kernels/map.hpp"
#include "plan/engine/elementwise_load.hpp"
#include "plan/engine/elementwise_sum.hpp"

namespace topos::engine {

using MapFunction = std::variant<kernels::UnaryMap, kernels::BinaryMap>;

/// The function that the operation is; none where there is no kernel of it.
std::optional<MapFunction> map_function(const Operation& operation);

/// Grows while the plan is compiled; each member rounds as it would alone.
template <class F>
class ElementwiseStep : public Step<F> {
 public:
  static constexpr std::size_t most_members = 48;

  /// What its members write lies in the order of the walk.
  explicit ElementwiseStep(std::shared_ptr<const Walk> walk);

  const std::shared_ptr<const Walk>& walk() const { return walk_; }
  Extent volume() const { return volume_; }
  bool is_full() const { return members_.size() >= most_members; }
  bool has_member(BufferIndex buffer) const;

  struct Operand {
    enum class Kind : std::uint8_t { constant, load, member } kind = Kind::constant;
    std::uint32_t index = 0;
    bool operator==(const Operand&) const = default;
  };
  Operand constant(F value);
  /// `classes` are those of a source that may be a selection, else 0.
  Operand load(const WalkedElements& elements, BufferIndex buffer, Extent classes = 0);
  /// Whether a selection need not be expanded for the load.
  bool takes_selection(const Operand& load) const { return loads_[load.index].classes > 0; }
  Operand member(BufferIndex buffer) const;
  void append(MapFunction function, std::string_view name, std::span<const Operand> operands, NodeIndex node,
              BufferIndex output);

  /// The member again, in `into` (a later group that walks the same elements), where computing it costs less
  /// than storing and reading it: some arithmetic on less memory. `reads` is told of what it loads, `buffer`
  /// gives each of the copies that it takes a buffer.
  template <class Reads, class NewBuffer>
  std::optional<Operand> repeat_in(ElementwiseStep& into, BufferIndex member, const Reads& reads,
                                   const NewBuffer& buffer) const;

  /// Whether sums of such lines of a member can be made with it.
  bool can_sum(const SummedLines& lines) const;
  bool has_sums() const { return !sums_.empty(); }
  void append_sum(BufferIndex member, const SummedLines& lines, NodeIndex node, BufferIndex output);

  /// The position of the last member that reads `buffer`, when every read is of the element being computed.
  std::optional<std::size_t> last_plain_read(BufferIndex buffer) const;
  std::size_t position(BufferIndex output) const;
  std::vector<BufferIndex> loaded_buffers() const;
  std::vector<BufferIndex> outputs() const;

  /// Ends growing: members that nothing outside the group reads stay in their tiles.
  void finish(const std::vector<Buffer>& buffers);

  void run(const Memory<F>& memory) const override;
  std::size_t scratch_bytes(std::size_t threads) const override {
    return (threads * slab_elements() + static_cast<std::size_t>(sum_scratch_)) * sizeof(F);
  }
  std::string describe() const override;

 private:
  using Load = ElementwiseLoad<F>;
  struct Member {
    MapFunction function;
    std::string_view name;
    std::array<Operand, 2> operands;
    NodeIndex node;
    BufferIndex output;
    std::optional<BufferIndex> repeats{};  // the member of an earlier group that this one computes again
    bool is_stored = true;
    std::uint32_t tile = 0;

    bool is_unary() const { return std::holds_alternative<kernels::UnaryMap>(function); }
    std::span<const Operand> used() const { return std::span(operands).first(is_unary() ? 1 : 2); }
  };

  /// Thread i of `threads` takes elements i * share ... (i + 1) * share - 1 of each cycle.
  struct Turns {
    Extent threads, share, cycle;
  };

  /// The member that computes again what this buffer holds.
  std::optional<Operand> repeated(BufferIndex original) const;
  /// The members that computing this one takes, itself the last; none where that is not cheap.
  std::vector<std::size_t> recipe(std::size_t member) const;
  void drop_unread();
  Extent find_periods();
  void find_reciprocals();
  void find_wraps();
  void fill(const Memory<F>& memory, F* slab, const Load& load, Extent start, Extent count) const;
  void compute(const Memory<F>& memory, F* slab, const Member& member, Extent start, std::size_t count) const;
  void fill_tiles(const Memory<F>& memory, F* slab, Extent from, Extent to) const;
  void run_range(const Memory<F>& memory, F* slab, F* sum_scratch, Extent from, Extent to) const;
  const F* source(const Memory<F>& memory, F* slab, const Operand& operand, Extent start) const;
  F* tile(F* slab, std::uint32_t index) const { return slab + static_cast<Extent>(index) * tile_stride_; }
  F* output(const Memory<F>& memory, F* slab, const Member& member, Extent start) const;
  void add_sums(const Memory<F>& memory, F* slab, std::size_t member, Extent start, Extent count, F* partials,
                F* sum_scratch) const;
  Turns turns(Extent threads) const;
  std::size_t slab_elements() const { return (tiles_ + 1) * static_cast<std::size_t>(tile_stride_); }

  std::shared_ptr<const Walk> walk_;
  Extent volume_;
  std::vector<F> constants_;  // the first tiles, then the uniform and periodic loads' and the others
  std::vector<Load> loads_;
  std::vector<Member> members_;
  static constexpr std::size_t most_sums = 4;
  std::vector<ElementwiseSum<F>> sums_;
  Extent unit_ = 1;                                       // threads' shares are multiples of it
  Extent cycle_ = 0;                                      // of all sums that have one
  Extent cycle_parts_ = 0;                                // what threads may share of each cycle
  Extent sum_block_ = 0;                                  // what threads may share in order, beside that
  Extent sum_scratch_ = 0;                                // elements of scratch memory, of all sums
  std::vector<std::vector<std::uint32_t>> loads_before_;  // by member: strided loads to do first
  std::uint32_t tiles_ = 0;
  Extent period_ = 1;  // of all periodic loads
  Extent tile_extent_ = 0;
  Extent tile_stride_ = 0;
  double nanoseconds_ = 0;  // estimated, of one thread
};

template <class F>
template <class Reads, class NewBuffer>
std::optional<typename ElementwiseStep<F>::Operand> ElementwiseStep<F>::repeat_in(
    ElementwiseStep& into, BufferIndex member, const Reads& reads, const NewBuffer& buffer) const {
  if (into.volume_ != volume_) return std::nullopt;
  const std::vector<std::size_t> steps = recipe(position(member));
  if (steps.empty() || into.members_.size() + steps.size() > most_members) return std::nullopt;
  std::optional<Operand> copy;
  for (const std::size_t at : steps) {
    const Member& original = members_[at];
    copy = into.repeated(original.output);
    if (copy) continue;
    std::vector<Operand> operands;
    for (const Operand& operand : original.used()) {
      if (operand.kind == Operand::Kind::constant) {
        operands.push_back(into.constant(constants_[operand.index]));
      } else if (operand.kind == Operand::Kind::member) {
        operands.push_back(*into.repeated(members_[operand.index].output));
      } else {
        const Load& load = loads_[operand.index];
        operands.push_back(into.load(load.elements, load.buffer, load.classes));
        reads(load.buffer, load.classes > 0);
      }
    }
    into.append(original.function, original.name, operands, original.node, buffer(original.node));
    into.members_.back().repeats = original.output;
    copy = into.repeated(original.output);
  }
  return copy;
}

}  // namespace topos::engine
