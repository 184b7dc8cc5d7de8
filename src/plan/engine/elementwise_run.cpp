// How an elementwise group runs: what lies in which tile, and the loop over them.
#include <algorithm>
#include <bit>
#include <numeric>

#include "plan/engine/elementwise_step.hpp"

namespace topos::engine {

using kernels::BinaryMap;

template <class F>
void ElementwiseStep<F>::finish(const std::vector<Buffer>& buffers) {
  for (Member& member : members_) member.is_stored = buffers[member.output].is_read;
  std::erase_if(sums_, [&](const ElementwiseSum<F>& sum) { return !buffers[sum.output()].is_read; });
  drop_unread();
  for (const ElementwiseSum<F>& sum : sums_) sum_scratch_ += sum.scratch();
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
  constexpr Extent cache_bytes = Extent{24} * 1024;  // half of a first-level cache
  const Extent fitting = cache_bytes / static_cast<Extent>(sizeof(F)) / (tiles_ + 2);
  tile_extent_ = std::clamp<Extent>(fitting / 64 * 64, 256, 4096);
  const Extent common = std::lcm(period_, unit_);
  const Extent whole = std::max<Extent>(1, common <= tile_extent_ ? common : period_);
  tile_extent_ = std::max(tile_extent_ / whole * whole, whole);
  find_wraps();
  if (unit_ == 1 && cycle_ == 0) unit_ = 64;
  tile_extent_ = std::min(tile_extent_, std::max<Extent>(64, (volume_ + 63) / 64 * 64));
  tile_stride_ = (tile_extent_ + 63) / 64 * 64;
}

// Members that nothing reads: later groups compute them again, or a step does without them.
template <class F>
void ElementwiseStep<F>::drop_unread() {
  std::vector<bool> is_needed(members_.size()), is_loaded(loads_.size());
  for (const ElementwiseSum<F>& sum : sums_) is_needed[sum.member()] = true;
  for (std::size_t m = members_.size(); m-- > 0;) {
    if (!is_needed[m] && !members_[m].is_stored) continue;
    is_needed[m] = true;
    for (const Operand& operand : members_[m].used()) {
      if (operand.kind == Operand::Kind::member) is_needed[operand.index] = true;
      if (operand.kind == Operand::Kind::load) is_loaded[operand.index] = true;
    }
  }
  const auto keep = [](auto& list, const std::vector<bool>& kept) {  // and the new places
    std::vector<std::uint32_t> places(list.size());
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      places[i] = next;
      if (kept[i] && next++ != i) list[next - 1] = std::move(list[i]);
    }
    list.erase(list.begin() + next, list.end());
    return places;
  };
  const std::vector<std::uint32_t> member_places = keep(members_, is_needed),
                                   load_places = keep(loads_, is_loaded);
  for (Member& member : members_) {
    for (Operand& operand : member.operands) {
      if (operand.kind == Operand::Kind::member) operand.index = member_places[operand.index];
      if (operand.kind == Operand::Kind::load) operand.index = load_places[operand.index];
    }
  }
  for (ElementwiseSum<F>& sum : sums_) sum.move_member(member_places[sum.member()]);
}

// Loads that repeat a run of elements, whole runs of which fit in a tile: [features] beside [rows, features].
// The least common multiple of the lengths.
template <class F>
Extent ElementwiseStep<F>::find_periods() {
  constexpr Extent longest = 2048;
  Extent common = 1;
  for (Load& load : loads_) {
    if (!load.changes() || load.elements.axes.size() < 2 || load.elements.axes[0].stride != 0) continue;
    const Extent period = volume_ / load.elements.axes[0].extent;
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
    if (!load.changes() || load.classes > 0 || load.has_reciprocals || load.elements.axes.size() != 2 ||
        load.elements.axes[0].stride != 0 || load.elements.axes[1].stride != 1 ||
        load.elements.axes[1].extent % part != 0)
      continue;
    load.wrap = load.elements.axes[1].extent;
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
      if (load.wrap > 0) return memory.at(load.buffer, load.elements.offset + start % load.wrap);
      return load.is_in_place(memory) ? memory.at(load.buffer, load.elements.offset + start)
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
                                  Extent count, F* partials, F* sum_scratch) const {
  for (const ElementwiseSum<F>& sum : sums_) {
    if (sum.member() == member)
      sum.add(memory, output(memory, slab, members_[member], start), start, count, partials, sum_scratch);
    partials += kernels::partial_sums;
    sum_scratch += sum.scratch();
  }
}

template <class F>
void ElementwiseStep<F>::run_range(const Memory<F>& memory, F* slab, F* sum_scratch, Extent from,
                                   Extent to) const {
  alignas(64) F partials[most_sums * kernels::partial_sums] = {};
  for (Extent start = from; start < to; start += tile_extent_) {
    const Extent count = std::min(tile_extent_, to - start);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (const std::uint32_t l : loads_before_[m]) fill(memory, slab, loads_[l], start, count);
      compute(memory, slab, members_[m], start, static_cast<std::size_t>(count));
      if (!sums_.empty()) add_sums(memory, slab, m, start, count, partials, sum_scratch);
    }
  }
}

// How at most so many threads share the work.
template <class F>
typename ElementwiseStep<F>::Turns ElementwiseStep<F>::turns(Extent threads) const {
  const Extent volume = volume_;
  const auto in_order = [&](Extent unit) {
    const Extent share = ((volume + threads - 1) / threads + unit - 1) / unit * unit;
    return Turns{(volume + share - 1) / share, share, volume};
  };
  if (cycle_ == 0) return in_order(unit_);
  if (sum_block_ > 0 && volume / sum_block_ >= threads && sum_block_ % unit_ == 0)
    return in_order(sum_block_);
  constexpr Extent least_share = 256;  // less would go by in the loops around it
  for (; threads > 1; --threads) {
    const Extent share = cycle_ / threads;
    if (cycle_parts_ % threads == 0 && share % unit_ == 0 && share >= least_share)
      return {threads, share, cycle_};
  }
  return {1, volume, volume};
}

template <class F>
void ElementwiseStep<F>::run(const Memory<F>& memory) const {
  if (members_.empty()) return;
  const Extent volume = volume_;
  F* const sum_scratch = reinterpret_cast<F*>(memory.scratch);
  F* const slabs = sum_scratch + sum_scratch_;
  constexpr double worth_a_thread = 6000;  // nanoseconds of work for each
  const auto most = static_cast<Extent>(
      std::min(static_cast<double>(memory.pool->threads()), std::max(1.0, nanoseconds_ / worth_a_thread)));
  const Turns turns = this->turns(most);
  const auto task = [&](std::size_t i) {
    F* const slab = slabs + i * slab_elements();
    const Extent first = static_cast<Extent>(i) * turns.share;
    for (Extent from = first; from < volume; from += turns.cycle) {
      const Extent to = std::min(volume, from + turns.share);
      if (from == first || turns.cycle % period_ != 0) fill_tiles(memory, slab, from, to);
      run_range(memory, slab, sum_scratch, from, to);
    }
  };
  if (turns.threads == 1) {
    task(0);
  } else {
    memory.pool->run(static_cast<std::size_t>(turns.threads), task);
  }
  F* scratch = sum_scratch;
  for (const ElementwiseSum<F>& sum : sums_) {
    sum.finish(memory, scratch);
    scratch += sum.scratch();
  }
}

template void ElementwiseStep<float>::finish(const std::vector<Buffer>&);
template void ElementwiseStep<double>::finish(const std::vector<Buffer>&);
template void ElementwiseStep<float>::run(const Memory<float>&) const;
template void ElementwiseStep<double>::run(const Memory<double>&) const;

}  // namespace topos::engine
