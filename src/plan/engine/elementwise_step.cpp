#include "plan/engine/elementwise_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace topos::engine {

using kernels::BinaryMap;

namespace {

// Roughly what one element costs a thread, in nanoseconds; decides only how many threads are worth waking.
double cost(const MapFunction& function) {
  if (const auto* unary = std::get_if<kernels::UnaryMap>(&function)) {
    using enum kernels::UnaryMap;
    return *unary == negate || *unary == round_to_bf16 ? 0.08 : *unary == sqrt ? 0.3 : 1.2;
  }
  const auto binary = std::get<BinaryMap>(function);
  return binary == BinaryMap::power ? 20 : binary == BinaryMap::divide ? 0.3 : 0.1;
}

}  // namespace

template <class F>
ElementwiseStep<F>::ElementwiseStep(Shape shape, std::vector<Axis> order)
    : shape_(std::move(shape)),
      order_(std::move(order)),
      member_layout_(Layout::dense_in_order(shape_, order_)) {}

template <class F>
bool ElementwiseStep<F>::has_member(BufferIndex buffer) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.output == buffer; });
}

template <class F>
typename ElementwiseStep<F>::Operand ElementwiseStep<F>::constant(F value) {
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    if (bits_of(constants_[i]) == bits_of(value))
      return {Operand::Kind::constant, static_cast<std::uint32_t>(i)};
  }
  constants_.push_back(value);
  return {Operand::Kind::constant, static_cast<std::uint32_t>(constants_.size() - 1)};
}

template <class F>
typename ElementwiseStep<F>::Operand ElementwiseStep<F>::load(const Layout& layout, BufferIndex buffer,
                                                              Extent classes) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].buffer == buffer && loads_[i].layout == layout)
      return {Operand::Kind::load, static_cast<std::uint32_t>(i)};
  }
  const bool uniform = layout.is_uniform();
  // a value of one element, whatever its rank, is contiguous
  const bool plain = uniform ? shape_.volume() == 1 : layout.is_dense_in(order_);
  loads_.push_back({buffer, layout, uniform ? std::vector<StridedAxis>{} : layout.flattened(order_), plain,
                    uniform && !plain});
  if (plain && layout.offset() == 0) loads_.back().classes = classes;  // an element's place is its index
  return {Operand::Kind::load, static_cast<std::uint32_t>(loads_.size() - 1)};
}

template <class F>
typename ElementwiseStep<F>::Operand ElementwiseStep<F>::member(BufferIndex buffer) const {
  return {Operand::Kind::member, static_cast<std::uint32_t>(position(buffer))};
}

template <class F>
void ElementwiseStep<F>::append(MapFunction function, std::string_view name,
                                std::span<const Operand> operands, NodeIndex node, BufferIndex output) {
  Member member{function, name, {}, node, output};
  std::copy(operands.begin(), operands.end(), member.operands.begin());
  nanoseconds_ += cost(function) * static_cast<double>(shape_.volume());
  members_.push_back(member);
}

template <class F>
std::optional<typename ElementwiseStep<F>::Operand> ElementwiseStep<F>::repeated(BufferIndex original) const {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].repeats == original) return Operand{Operand::Kind::member, static_cast<std::uint32_t>(m)};
  }
  return std::nullopt;
}

template <class F>
std::vector<std::size_t> ElementwiseStep<F>::recipe(std::size_t member) const {
  constexpr std::size_t most = 4;
  std::vector<std::size_t> steps{member};
  for (std::size_t next = 0; next < steps.size(); ++next) {
    const Member& step = members_[steps[next]];
    if (cost(step.function) > 0.1) return {};
    for (const Operand& operand : step.used()) {
      if (operand.kind == Operand::Kind::load && !loads_[operand.index].is_small()) return {};
      if (operand.kind == Operand::Kind::member &&
          std::find(steps.begin(), steps.end(), operand.index) == steps.end())
        steps.push_back(operand.index);
    }
    if (steps.size() > most) return {};
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

template <class F>
bool ElementwiseStep<F>::can_sum(Extent extent) const {
  constexpr Extent longest = 1 << 15;
  const bool fits = extent <= kernels::sum_block || extent == shape_.volume();
  return fits && member_layout_.is_row_major() && sums_.size() < most_sums &&
         std::lcm(unit_, ElementwiseSum<F>::unit(extent)) <= longest;
}

template <class F>
void ElementwiseStep<F>::append_sum(BufferIndex member, Extent extent, NodeIndex node, BufferIndex output) {
  sums_.push_back({position(member), extent, shape_.volume(), node, output});
  unit_ = std::lcm(unit_, ElementwiseSum<F>::unit(extent));
  nanoseconds_ += 0.1 * static_cast<double>(shape_.volume());
}

template <class F>
std::optional<std::size_t> ElementwiseStep<F>::last_plain_read(BufferIndex buffer) const {
  std::optional<std::size_t> last;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const Operand& operand : members_[m].used()) {
      if (operand.kind != Operand::Kind::load || loads_[operand.index].buffer != buffer) continue;
      if (!loads_[operand.index].is_plain || loads_[operand.index].layout.offset() != 0) return std::nullopt;
      last = m;
    }
  }
  return last;
}

template <class F>
std::size_t ElementwiseStep<F>::position(BufferIndex output) const {
  std::size_t at = 0;
  while (members_[at].output != output) ++at;
  return at;
}

template <class F>
std::vector<BufferIndex> ElementwiseStep<F>::loaded_buffers() const {
  std::vector<BufferIndex> result;
  for (const Load& load : loads_) result.push_back(load.buffer);
  return result;
}

template <class F>
std::vector<BufferIndex> ElementwiseStep<F>::outputs() const {
  std::vector<BufferIndex> result;
  for (const Member& member : members_) result.push_back(member.output);
  return result;
}

template <class F>
void ElementwiseStep<F>::finish(const std::vector<Buffer>& buffers) {
  for (Member& member : members_) member.is_stored = buffers[member.output].is_read;
  std::erase_if(sums_, [&](const ElementwiseSum<F>& sum) { return !buffers[sum.output].is_read; });
  for (const ElementwiseSum<F>& sum : sums_) block_sums_ += sum.blocks();
  // the last member that reads each load and each member
  std::vector<std::size_t> load_end(loads_.size(), 0);
  std::vector<std::size_t> member_end(members_.size(), 0);
  std::vector<std::size_t> load_begin(loads_.size(), members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const Operand& operand : members_[m].used()) {
      if (operand.kind == Operand::Kind::load) {
        load_end[operand.index] = m;
        load_begin[operand.index] = std::min(load_begin[operand.index], m);
      } else if (operand.kind == Operand::Kind::member) {
        member_end[operand.index] = m;
      }
    }
  }
  period_ = find_periods();
  find_reciprocals();
  // Tiles: constants and loads that stay the same, or have reciprocals, keep theirs for the whole run; the
  // others are taken and given back.
  tiles_ = static_cast<std::uint32_t>(constants_.size());
  for (Load& load : loads_) {
    if (load.is_plain || (load.changes() && !load.has_reciprocals)) continue;
    load.tile = tiles_;
    tiles_ += load.has_reciprocals ? 2 : 1;
  }
  std::vector<std::uint32_t> free;
  const auto take = [&] {
    if (free.empty()) return tiles_++;
    const std::uint32_t tile = free.back();
    free.pop_back();
    return tile;
  };
  loads_before_.assign(members_.size(), {});
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (std::size_t l = 0; l < loads_.size(); ++l) {
      if (!loads_[l].changes() || load_begin[l] != m) continue;
      if (!loads_[l].has_reciprocals) loads_[l].tile = take();
      loads_before_[m].push_back(static_cast<std::uint32_t>(l));
    }
    if (!members_[m].is_stored) members_[m].tile = take();
    std::span<const Operand> used = members_[m].used();
    if (used.size() == 2 && used[0] == used[1]) used = used.first(1);  // its tile is given back once
    for (const Operand& operand : used) {
      if (operand.kind == Operand::Kind::load && load_end[operand.index] == m) {
        const Load& load = loads_[operand.index];
        if (load.changes() && !load.has_reciprocals) free.push_back(load.tile);
      }
      if (operand.kind == Operand::Kind::member && !members_[operand.index].is_stored &&
          member_end[operand.index] == m)
        free.push_back(members_[operand.index].tile);
    }
  }
  constexpr Extent cache_bytes = 24 * 1024;  // half of a first-level cache
  const Extent fitting = cache_bytes / static_cast<Extent>(sizeof(F)) / (tiles_ + 2);
  tile_extent_ = std::clamp<Extent>(fitting / 64 * 64, 256, 4096);
  const Extent common = std::lcm(period_, unit_);
  const Extent whole = common <= tile_extent_ ? common : period_;
  tile_extent_ = std::max(tile_extent_ / whole * whole, whole);
  find_wraps();
  if (unit_ == 1) unit_ = 64;
  tile_extent_ = std::min(tile_extent_, std::max<Extent>(64, (shape_.volume() + 63) / 64 * 64));
  tile_stride_ = (tile_extent_ + 63) / 64 * 64;
}

// Loads that repeat a run of elements, whole runs of which fit in a tile: [features] beside [rows, features].
// The least common multiple of the lengths.
template <class F>
Extent ElementwiseStep<F>::find_periods() {
  constexpr Extent longest = 2048;
  Extent common = 1;
  for (Load& load : loads_) {
    if (!load.changes() || load.axes.size() < 2 || load.axes[0].stride != 0) continue;
    const Extent period = shape_.volume() / load.axes[0].extent;
    if (period > longest || std::lcm(common, period) > longest) continue;
    common = std::lcm(common, period);
    load.is_periodic = true;
  }
  return common;
}

// Loads that repeat a longer run, if tiles can be parts of it.
template <class F>
void ElementwiseStep<F>::find_wraps() {
  const Extent part = static_cast<Extent>(std::bit_floor(static_cast<std::uint64_t>(tile_extent_)));
  if (period_ > 1 || !sums_.empty()) return;  // these choose the tiles
  for (Load& load : loads_) {
    if (!load.changes() || load.classes > 0 || load.has_reciprocals || load.axes.size() != 2 ||
        load.axes[0].stride != 0 || load.axes[1].stride != 1 || load.axes[1].extent % part != 0)
      continue;
    load.wrap = load.axes[1].extent;
    tile_extent_ = unit_ = part;
  }
}

// An f32 quotient costs less by the divisor's reciprocal, if many need it.
template <class F>
void ElementwiseStep<F>::find_reciprocals() {
  if constexpr (std::is_same_v<F, float>) {
    for (const Member& member : members_) {
      const Operand& divisor = member.operands[1];
      if (member.function == MapFunction(BinaryMap::divide) && divisor.kind == Operand::Kind::load)
        loads_[divisor.index].has_reciprocals = loads_[divisor.index].repeats();
    }
  }
}

template <class F>
void ElementwiseStep<F>::fill(const Memory<F>& memory, F* slab, const Load& load, Extent start,
                              Extent count) const {
  if (load.wrap > 0) return;
  load.fill(memory, start, count, period_, tile(slab, load.tile), tile(slab, load.tile + 1));
}

template <class F>
const F* ElementwiseStep<F>::source(const Memory<F>& memory, F* slab, const Operand& operand,
                                    Extent start) const {
  switch (operand.kind) {
    case Operand::Kind::constant:
      return tile(slab, operand.index);
    case Operand::Kind::load: {
      const Load& load = loads_[operand.index];
      if (load.wrap > 0) return memory.at(load.buffer, load.layout.offset() + start % load.wrap);
      return load.is_in_place(memory) ? memory.at(load.buffer, load.layout.offset() + start)
                                      : tile(slab, load.tile);
    }
    default:
      return output(memory, slab, members_[operand.index], start);
  }
}

template <class F>
F* ElementwiseStep<F>::output(const Memory<F>& memory, F* slab, const Member& member, Extent start) const {
  return member.is_stored ? memory.buffers[member.output] + start : tile(slab, member.tile);
}

// The tiles that stay as they are for elements from ... to - 1.
template <class F>
void ElementwiseStep<F>::fill_tiles(const Memory<F>& memory, F* slab, Extent from, Extent to) const {
  const Extent most = std::min(tile_extent_, to - from);
  for (std::uint32_t i = 0; i < constants_.size(); ++i) std::fill_n(tile(slab, i), most, constants_[i]);
  for (const Load& load : loads_) {
    if (!load.is_plain && !load.changes()) fill(memory, slab, load, from, most);
  }
}

template <class F>
void ElementwiseStep<F>::compute(const Memory<F>& memory, F* slab, const Member& member, Extent start,
                                 std::size_t count) const {
  F* const out = output(memory, slab, member, start);
  const F* const x = source(memory, slab, member.operands[0], start);
  if (const auto* unary = std::get_if<kernels::UnaryMap>(&member.function)) {
    return kernels::map(*unary, x, out, count);
  }
  const Operand& second = member.operands[1];
  const F* const y = source(memory, slab, second, start);
  const auto function = std::get<BinaryMap>(member.function);
  if (function == BinaryMap::divide && second.kind == Operand::Kind::load &&
      loads_[second.index].has_reciprocals) {
    return kernels::divide(x, y, tile(slab, loads_[second.index].tile + 1), out, count);
  }
  kernels::map(function, x, y, out, count);
}

template <class F>
void ElementwiseStep<F>::add_sums(const Memory<F>& memory, F* slab, std::size_t member, Extent start,
                                  Extent count, F* partials, F* block_sums) const {
  for (const ElementwiseSum<F>& sum : sums_) {
    if (sum.member == member)
      sum.add(memory, output(memory, slab, members_[member], start), start, count, partials, block_sums);
    partials += kernels::partial_sums;
    block_sums += sum.blocks();
  }
}

template <class F>
void ElementwiseStep<F>::run_range(const Memory<F>& memory, F* slab, F* block_sums, Extent from,
                                   Extent to) const {
  alignas(64) F partials[most_sums * kernels::partial_sums] = {};
  for (Extent start = from; start < to; start += tile_extent_) {
    const Extent count = std::min(tile_extent_, to - start);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (const std::uint32_t l : loads_before_[m]) fill(memory, slab, loads_[l], start, count);
      compute(memory, slab, members_[m], start, static_cast<std::size_t>(count));
      if (!sums_.empty()) add_sums(memory, slab, m, start, count, partials, block_sums);
    }
  }
}

template <class F>
void ElementwiseStep<F>::run(const Memory<F>& memory) const {
  const Extent volume = shape_.volume();
  F* const block_sums = reinterpret_cast<F*>(memory.scratch);
  F* const slabs = block_sums + block_sums_;
  constexpr double worth_a_thread = 6000;  // nanoseconds of work for each
  const auto most = static_cast<Extent>(
      std::min(static_cast<double>(memory.pool->threads()), std::max(1.0, nanoseconds_ / worth_a_thread)));
  const Extent share = ((volume + most - 1) / most + unit_ - 1) / unit_ * unit_;
  const auto task = [&](std::size_t i) {
    const Extent from = static_cast<Extent>(i) * share, to = std::min(volume, from + share);
    F* const slab = slabs + i * slab_elements();
    fill_tiles(memory, slab, from, to);
    run_range(memory, slab, block_sums, from, to);
  };
  const auto tasks = static_cast<std::size_t>((volume + share - 1) / share);
  if (tasks == 1) {
    task(0);
  } else {
    memory.pool->run(tasks, task);
  }
  const F* sums = block_sums;
  for (const ElementwiseSum<F>& sum : sums_) {
    sum.finish(memory, sums);
    sums += sum.blocks();
  }
}

template <class F>
std::string ElementwiseStep<F>::describe() const {
  std::string text = fmt::format("elementwise {} in tiles of {}:", topos::describe(shape_), tile_extent_);
  for (const Member& member : members_) {
    const auto operand = [&](const Operand& of) -> std::string {
      switch (of.kind) {
        case Operand::Kind::constant:
          return fmt::format("{}", constants_[of.index]);
        case Operand::Kind::load: {
          const Load& load = loads_[of.index];
          return fmt::format("b{}{}", load.buffer,
                             load.is_uniform    ? " repeated"
                             : load.is_periodic ? " periodic"
                             : load.is_plain    ? ""
                                                : " strided");
        }
        default:
          return fmt::format("%{}", members_[of.index].node);
      }
    };
    text += fmt::format("\n      %{} = {} {}{}", member.node, member.name, operand(member.operands[0]),
                        member.is_unary() ? "" : ", " + operand(member.operands[1]));
    if (member.is_stored) text += fmt::format(" -> b{}", member.output);
  }
  for (const ElementwiseSum<F>& sum : sums_) {
    text += fmt::format("\n      %{} = sums of {} of %{} -> b{}", sum.node, sum.extent,
                        members_[sum.member].node, sum.output);
  }
  return text;
}

template class ElementwiseStep<float>;
template class ElementwiseStep<double>;

}  // namespace topos::engine
