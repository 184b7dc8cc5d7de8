// Zeros around a value along one axis, or along two when nothing reads what lies between.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/for_ranges.hpp"
#include "plan/engine/lowering_list.hpp"
#include "topos/ops/pad.hpp"

namespace topos::engine {
namespace {

/// Elements, or rows of them, with zeros before and after.
struct Padded {
  Extent before = 0, content = 1, after = 0;
  Extent full() const { return before + content + after; }
};

template <class F>
class PadStep : public Step<F> {
 public:
  /// The value's axes as [outer, rows, run]: rows are padded with rows, and each row's elements with
  /// elements.
  struct Blocks {
    Extent outer = 1;
    Padded rows, run;
  };
  PadStep(Operand from, std::vector<StridedAxis> axes, const Blocks& blocks, BufferIndex to)
      : from_(from), axes_(std::move(axes)), blocks_(blocks), to_(to) {
    is_contiguous_ = axes_.empty() || (axes_.size() == 1 && axes_[0].stride == 1);
  }

  void run(const Memory<F>& memory) const override {
    const Extent full = blocks_.run.full();
    // the output's elements first ... end - 1, row by row
    kernels::for_ranges(
        *memory.pool, blocks_.outer * blocks_.rows.full() * full, 1, [&](Extent first, Extent end) {
          for (Extent row = first / full; row * full < end; ++row)
            write(memory, row, std::max(first - row * full, Extent{0}), std::min(end - row * full, full));
        });
  }
  std::string describe() const override {
    const auto text = [](const Padded& padded) {
      return fmt::format("{} + {} + {}", padded.before, padded.content, padded.after);
    };
    return fmt::format("pad [{}, {}, {}]: b{} -> b{}", blocks_.outer, text(blocks_.rows), text(blocks_.run),
                       from_.buffer, to_);
  }

 private:
  /// Elements first ... end - 1 of a row of the output: zeros, what was padded, zeros.
  void write(const Memory<F>& memory, Extent row, Extent first, Extent end) const {
    const auto& [outer, rows, run] = blocks_;
    F* const to = memory.buffers[to_] + row * run.full();
    const Extent in_block = row % rows.full() - rows.before;
    if (in_block < 0 || in_block >= rows.content) {
      std::fill(to + first, to + end, F{0});
      return;
    }
    const Extent content = std::clamp(run.before, first, end);
    const Extent rest = std::clamp(run.before + run.content, first, end);
    std::fill(to + first, to + content, F{0});
    if (rest > content) {
      const Extent at = (row / rows.full() * rows.content + in_block) * run.content + content - run.before;
      copy(from_.at(memory), at, rest - content, to + content);
    }
    std::fill(to + rest, to + end, F{0});
  }
  void copy(const F* from, Extent at, Extent count, F* to) const {
    if (is_contiguous_) {
      std::memcpy(to, from + at, static_cast<std::size_t>(count) * sizeof(F));
    } else {
      kernels::copy_strided(from, std::span(axes_), at, count, to);
    }
  }

  Operand from_;
  std::vector<StridedAxis> axes_;
  bool is_contiguous_;
  Blocks blocks_;
  BufferIndex to_;
};

/// The product of the axes of `order` from `first` up to `last`.
Extent volume_of(const Shape& shape, std::span<const Axis> order, std::size_t first, std::size_t last) {
  Extent product = 1;
  for (std::size_t i = first; i < last; ++i) product *= shape[order[i]];
  return product;
}

std::size_t place_of(std::span<const Axis> order, Axis axis) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), axis) - order.begin());
}

Padded padded_by(const Pad& pad, const Shape& from, Extent elements) {
  const Extent extent = from[pad.axis];
  return {pad.start * elements, extent * elements, (pad.full_extent - pad.start - extent) * elements};
}

/// The pad whose only reader this one is, when one step can do both: its axis lies further out.
template <class F>
const Pad* outer_pad(const Compiler<F>& compiler, NodeIndex index) {
  if (!compiler.options().fuse) return nullptr;
  const NodeIndex operand = compiler.node(index).operands[0];
  const Pad* const outer = compiler.node(operand).operation.template get_if<Pad>();
  const Pad& inner = compiler.node(index).operation.template get<Pad>();
  const bool is_alone = outer && compiler.readers(operand) == 1;
  return is_alone && outer->axis < inner.axis && compiler.node(operand).shape[inner.axis] > 1 ? outer
                                                                                              : nullptr;
}

/// Whether the pad that reads this one alone does its work.
template <class F>
bool is_left_to_reader(const Compiler<F>& compiler, NodeIndex index) {
  const std::optional<NodeIndex> reader = compiler.only_reader(index);
  return reader && compiler.node(*reader).operation.template is<Pad>() && outer_pad(compiler, *reader) &&
         !outer_pad(compiler, index) &&
         compiler.value(compiler.node(index).operands[0]).layout.memory_order() ==
             identity_order(compiler.node(index).shape.rank());
}

}  // namespace

template <class F>
void lower_pad(Compiler<F>& compiler, NodeIndex index) {
  if (is_left_to_reader(compiler, index)) return;
  const Node& node = compiler.node(index);
  const Pad& pad = node.operation.get<Pad>();
  const bool takes_both = outer_pad(compiler, index) && is_left_to_reader(compiler, node.operands[0]);
  const NodeIndex operand = takes_both ? compiler.node(node.operands[0]).operands[0] : node.operands[0];
  const Shape& from = compiler.node(operand).shape;
  const auto value = compiler.value(operand);
  std::optional<std::vector<Axis>> memory_order = value.layout.memory_order();
  std::vector<Axis> order = memory_order ? *memory_order : identity_order(from.rank());
  if (from[pad.axis] == 1) {  // it lies nowhere yet: outermost, the value stays in one piece
    std::erase(order, pad.axis);
    order.insert(order.begin(), pad.axis);
  }
  const std::size_t place = place_of(order, pad.axis);
  typename PadStep<F>::Blocks blocks;
  blocks.run = padded_by(pad, from, volume_of(from, order, place + 1, order.size()));
  if (takes_both) {
    const Pad& outer = compiler.node(node.operands[0]).operation.template get<Pad>();
    const std::size_t further = place_of(order, outer.axis);
    blocks.outer = volume_of(from, order, 0, further);
    blocks.rows = padded_by(outer, from, volume_of(from, order, further + 1, place));
  } else {
    blocks.outer = volume_of(from, order, 0, place);
  }
  const BufferIndex output = compiler.define_output(index, Layout::dense_in_order(node.shape, order));
  compiler.append(std::make_unique<PadStep<F>>(Operand{value.buffer, value.layout.offset()},
                                               value.layout.flattened(order), blocks, output),
                  {value.buffer}, {output});
}

template void lower_pad(Compiler<float>&, NodeIndex);
template void lower_pad(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
