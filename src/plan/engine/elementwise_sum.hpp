// Sums of what a member of an elementwise group computes, made tile by tile.
#pragma once

#include "kernels/reduce/column_partials.hpp"
#include "plan/engine/executable.hpp"
#include "plan/engine/summed_lines.hpp"

namespace topos::engine {

/// The sums of the lines of a member: runs (all elements in one, or of at most a block of the contract),
/// columns, or lines of several runs, which are multiples of 16 elements.
template <class F>
class ElementwiseSum {
 public:
  ElementwiseSum(std::size_t member, const SummedLines& lines, NodeIndex node, BufferIndex output)
      : member_(member), lines_(lines), node_(node), output_(output), scratch_(needed_scratch()) {}

  /// Whether such lines can be summed so.
  static bool supports(const SummedLines& lines);
  /// What one thread adds up without a pause, one element after the other: a run, or a block of one.
  static Extent unit(const SummedLines& lines);
  /// Elements after which the partial sums, of columns, or the lines, of several runs, begin anew: thread i
  /// of n may take part i of each cycle. 0: as they come, in units.
  static Extent cycle(const SummedLines& lines);
  /// The parts that a cycle has: n must divide them.
  static Extent parts(const SummedLines& lines);
  /// Elements of a block of all columns, which threads may share in order, too; 0 of other lines.
  static Extent block_of_columns(const SummedLines& lines);

  std::size_t member() const { return member_; }  ///< position in the group
  void move_member(std::size_t to) { member_ = to; }
  NodeIndex node() const { return node_; }
  BufferIndex output() const { return output_; }
  const SummedLines& lines() const { return lines_; }

  /// Elements of scratch memory that add() and finish() need.
  Extent scratch() const { return scratch_; }
  /// Adds elements start ... start + count - 1, at x, to `partials`, 16 of the calling thread, which begin at
  /// zero, or to the scratch memory.
  void add(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials, F* scratch) const;
  /// When everything was added.
  void finish(const Memory<F>& memory, F* scratch) const;

 private:
  void add_runs(const Memory<F>& memory, const F* x, Extent start, Extent count, F* partials,
                F* block_sums) const;
  void add_parts_of_lines(const F* x, Extent start, Extent count, F* scratch) const;
  kernels::ColumnPartials<F> columns(F* scratch) const { return {lines_.outer, lines_.count, scratch}; }
  Extent needed_scratch() const;
  Extent blocks() const { return (lines_.outer * lines_.inner - 1) / kernels::sum_block + 1; }

  std::size_t member_;
  SummedLines lines_;
  NodeIndex node_;
  BufferIndex output_;
  Extent scratch_;
};

extern template class ElementwiseSum<float>;
extern template class ElementwiseSum<double>;

}  // namespace topos::engine
