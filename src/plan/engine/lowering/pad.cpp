// Zeros around a value along one axis.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/for_ranges.hpp"
#include "plan/engine/lowering_list.hpp"
#include "topos/ops/pad.hpp"

namespace topos::engine {
namespace {

template <class F>
class PadStep : public Step<F> {
 public:
  /// The value's axes as [outer, extent, inner]; `run` = extent * inner elements come together.
  struct Blocks {
    Extent outer, run, before, after;  // in elements
  };
  PadStep(BufferIndex from, Extent offset, std::vector<StridedAxis> axes, const Blocks& blocks,
          BufferIndex to)
      : from_(from), offset_(offset), axes_(std::move(axes)), blocks_(blocks), to_(to) {}

  void run(const Memory<F>& memory) const override {
    const auto [outer, run, before, after] = blocks_;
    const Extent full = before + run + after;
    const F* from = memory.at(from_, offset_);
    F* const to = memory.buffers[to_];
    // the output's elements first ... end - 1: zeros, what was padded, zeros, for each outer index
    kernels::for_ranges(*memory.pool, outer * full, 1, [&](Extent first, Extent end) {
      for (Extent o = first / full; o * full < end; ++o) {
        const Extent start = o * full;
        const auto clipped = [&](Extent at) { return std::clamp(start + at, first, end); };
        const Extent content = clipped(before);
        const Extent rest = clipped(before + run);
        std::fill(to + clipped(0), to + content, F{0});
        if (rest > content) {
          kernels::copy_strided(from, std::span(axes_), o * run + content - start - before, rest - content,
                                to + content);
        }
        std::fill(to + rest, to + clipped(full), F{0});
      }
    });
  }
  std::string describe() const override {
    return fmt::format("pad [{}, {} + {} + {}]: b{} -> b{}", blocks_.outer, blocks_.before, blocks_.run,
                       blocks_.after, from_, to_);
  }

 private:
  BufferIndex from_;
  Extent offset_;
  std::vector<StridedAxis> axes_;
  Blocks blocks_;
  BufferIndex to_;
};

}  // namespace

template <class F>
void lower_pad(Compiler<F>& compiler, NodeIndex index) {
  const Node& node = compiler.node(index);
  const Pad& pad = node.operation.get<Pad>();
  const Shape& from = compiler.node(node.operands[0]).shape;
  const auto value = compiler.value(node.operands[0]);
  std::optional<std::vector<Axis>> memory_order = value.layout.memory_order();
  std::vector<Axis> order = memory_order ? *memory_order : identity_order(from.rank());
  if (from[pad.axis] == 1) {  // it lies nowhere yet: outermost, the value stays in one piece
    std::erase(order, pad.axis);
    order.insert(order.begin(), pad.axis);
  }
  Extent outer = 1;
  Extent inner = 1;
  bool before = true;
  for (const Axis a : order) {
    if (a == pad.axis) {
      before = false;
    } else {
      (before ? outer : inner) *= from[a];
    }
  }
  const Extent extent = from[pad.axis];
  const typename PadStep<F>::Blocks blocks{outer, extent * inner, pad.start * inner,
                                           (pad.full_extent - pad.start - extent) * inner};
  const BufferIndex output = compiler.define_output(index, Layout::dense_in_order(node.shape, order));
  compiler.append(std::make_unique<PadStep<F>>(value.buffer, value.layout.offset(),
                                               value.layout.flattened(order), blocks, output),
                  {value.buffer}, {output});
}

template void lower_pad(Compiler<float>&, NodeIndex);
template void lower_pad(Compiler<double>&, NodeIndex);

}  // namespace topos::engine
