#include "plan/engine/elementwise_step.hpp"

#include <fmt/format.h>

#include <algorithm>
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
ElementwiseStep<F>::ElementwiseStep(std::shared_ptr<const Walk> walk)
    : walk_(std::move(walk)), volume_(walk_->shape().volume()) {}

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
typename ElementwiseStep<F>::Operand ElementwiseStep<F>::load(const WalkedElements& elements,
                                                              BufferIndex buffer, Extent classes) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].buffer == buffer && loads_[i].elements == elements)
      return {Operand::Kind::load, static_cast<std::uint32_t>(i)};
  }
  const bool plain = elements.is_uniform() ? volume_ == 1 : elements.is_contiguous();
  loads_.push_back({buffer, elements, plain, elements.is_uniform() && !plain});
  if (plain && elements.offset == 0) loads_.back().classes = classes;  // an element's place is its index
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
  nanoseconds_ += cost(function) * static_cast<double>(volume_);
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
bool ElementwiseStep<F>::can_sum(const SummedLines& lines) const {
  using Sum = ElementwiseSum<F>;
  if (!Sum::supports(lines) || sums_.size() == most_sums) return false;
  constexpr Extent longest = 1 << 15;
  const Extent unit = std::lcm(unit_, Sum::unit(lines)), cycle = Sum::cycle(lines);
  if (unit > longest || (cycle > 0 && cycle_ > 0 && cycle != cycle_)) return false;
  constexpr Extent worth_sharing = 1 << 15;
  return volume_ < worth_sharing ||
         std::max(cycle, cycle_) / 2 % unit == 0;  // two threads can share the work
}

template <class F>
void ElementwiseStep<F>::append_sum(BufferIndex member, const SummedLines& lines, NodeIndex node,
                                    BufferIndex output) {
  using Sum = ElementwiseSum<F>;
  sums_.emplace_back(position(member), lines, node, output);
  unit_ = std::lcm(unit_, Sum::unit(lines));
  if (const Extent cycle = Sum::cycle(lines)) {
    const bool is_first = cycle_ == 0;
    cycle_ = cycle;
    cycle_parts_ = is_first ? Sum::parts(lines) : std::gcd(cycle_parts_, Sum::parts(lines));
    sum_block_ = is_first || sum_block_ > 0 ? Sum::block_of_columns(lines) : 0;
  }
  nanoseconds_ += 0.1 * static_cast<double>(volume_);
}

template <class F>
std::optional<std::size_t> ElementwiseStep<F>::last_plain_read(BufferIndex buffer) const {
  std::optional<std::size_t> last;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const Operand& operand : members_[m].used()) {
      if (operand.kind != Operand::Kind::load || loads_[operand.index].buffer != buffer) continue;
      if (!loads_[operand.index].is_plain || loads_[operand.index].elements.offset != 0) return std::nullopt;
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
  result.reserve(loads_.size());
  for (const Load& load : loads_) result.push_back(load.buffer);
  return result;
}

template <class F>
std::vector<BufferIndex> ElementwiseStep<F>::outputs() const {
  std::vector<BufferIndex> result;
  result.reserve(members_.size());
  for (const Member& member : members_) result.push_back(member.output);
  return result;
}

template <class F>
std::string ElementwiseStep<F>::describe() const {
  if (members_.empty())
    return fmt::format("elementwise {}: nothing, other steps do it", topos::describe(walk_->shape()));
  std::string text =
      fmt::format("elementwise {} in tiles of {}:", topos::describe(walk_->shape()), tile_extent_);
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
    text += fmt::format("\n      %{} = {} of %{} -> b{}", sum.node(), topos::engine::describe(sum.lines()),
                        members_[sum.member()].node, sum.output());
  }
  return text;
}

template class ElementwiseStep<float>;
template class ElementwiseStep<double>;

}  // namespace topos::engine
