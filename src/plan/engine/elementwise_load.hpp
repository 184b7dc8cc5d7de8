// What an elementwise group reads from outside.
#pragma once

#include <algorithm>

#include "plan/engine/executable.hpp"
#include "plan/engine/walk.hpp"

namespace topos::engine {

/// A value walked in the group's order; unless it is plain, its elements are copied to a tile.
template <class F>
struct ElementwiseLoad {
  BufferIndex buffer;
  WalkedElements elements;
  bool is_plain;                 // contiguous: read in place
  bool is_uniform;               // one element
  bool is_periodic = false;      // the same in every tile
  bool has_reciprocals = false;  // in the next tile: a divisor that repeats
  Extent wrap = 0;               // contiguous, from the first again after so many elements: read in place
  Extent classes = 0;            // of a plain source that may be a selection, which is expanded tile by tile
  std::uint32_t tile = 0;

  /// Whether each tile needs, or may need, its own elements.
  bool changes() const { return classes > 0 || (!is_plain && !is_uniform && !is_periodic); }
  bool is_in_place(const Memory<F>& memory) const {
    return is_plain && (classes == 0 || memory.indices[buffer].empty());
  }
  /// Whether many neighbours, or tiles, have the same elements.
  bool repeats() const { return is_uniform || is_periodic || (!is_plain && run() >= least_run); }
  /// Whether reading it costs little memory, beside reading as many elements as the group has.
  bool is_small() const {
    const auto repeats_some = [](const StridedAxis& axis) { return axis.stride == 0 && axis.extent >= 16; };
    return classes > 0 || is_uniform || std::any_of(elements.axes.begin(), elements.axes.end(), repeats_some);
  }
  /// Elements start ... start + count - 1 to a tile, and their reciprocals to another, if it has them. What
  /// is periodic repeats each `period` elements.
  void fill(const Memory<F>& memory, Extent start, Extent count, Extent period, F* to, F* reciprocals) const;

 private:
  static constexpr Extent least_run = 16;
  /// Neighbours that are one element, from the first of each run on.
  Extent run() const { return elements.axes.back().stride == 0 ? elements.axes.back().extent : 1; }
  Extent offset_of_run(Extent index) const;
};

extern template struct ElementwiseLoad<float>;
extern template struct ElementwiseLoad<double>;

}  // namespace topos::engine
