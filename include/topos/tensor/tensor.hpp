// A tensor value: a shape and shared, immutable elements. Copies and views cost a few words, never the data.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "topos/element/element_list.hpp"
#include "topos/tensor/shape.hpp"

namespace topos {

class Operation;

/// Row indices with a one-hot meaning: as a [count, classes] matrix, row i is 1 at indices[i] and 0
/// elsewhere.
struct Selection {
  std::vector<std::int64_t> indices;
  Extent classes = 0;
};

/// A tensor's elements in row-major order; keeps them alive, and copies only when the tensor is a view whose
/// elements are not already contiguous.
template <class E>
class Elements {
 public:
  Elements(std::shared_ptr<const std::vector<E>> owner, std::span<const E> view)
      : owner_(std::move(owner)), view_(view) {}
  // What a span has, and the span itself; good while this object lives.
  std::span<const E> span() const { return view_; }
  const E* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  const E& operator[](std::size_t i) const { return view_[i]; }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }

 private:
  std::shared_ptr<const std::vector<E>> owner_;
  std::span<const E> view_;
};

/// Immutable tensor of E. Views (permuted, narrowed, unfolded, broadcast) share the elements through strides;
/// a selection keeps its indices and is a one-hot matrix to every reader that asks for elements.
template <class E>
class Tensor {
 public:
  /// Rank 0, one zero.
  Tensor() : Tensor(E{}) {}
  /// Rank 0.
  explicit Tensor(E element);
  /// `elements` in row-major order, exactly shape.volume() of them (UsageError otherwise).
  Tensor(Shape shape, std::vector<E> elements);
  // Moving copies: a tensor is a few words, and a moved-from one stays good.
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  ~Tensor() = default;
  /// Every element equal; stores one.
  static Tensor filled(Shape shape, E element);
  /// [indices.size(), classes] one-hot rows. Throws UsageError for an index outside 0 … classes - 1.
  static Tensor selection(std::vector<std::int64_t> indices, Extent classes);

  // The shape, its number of axes and its number of elements.
  const Shape& shape() const { return shape_; }
  Axis rank() const { return shape_.rank(); }
  Extent volume() const { return shape_.volume(); }

  /// The selection behind this tensor, if it is one.
  const Selection* as_selection() const { return selection_.get(); }
  /// True when one stored element stands for all (a filled or broadcast tensor).
  bool is_uniform() const;
  /// The elements in row-major order, without a copy where they lie so.
  Elements<E> elements() const;
  /// The only element of a tensor of volume 1. Throws UsageError otherwise.
  E item() const;

  // Views, for operations to evaluate by; each throws UsageError for arguments that leave the elements.
  Tensor permuted(std::span<const Axis> order) const;
  Tensor narrowed(Axis axis, Extent start, Extent length) const;
  Tensor unfolded(Axis axis, Extent size, Extent step, Extent dilation) const;
  Tensor broadcast_along(Axis axis, Extent extent) const;
  /// Every element the uniform tensor's one.
  Tensor repeated_to(const Shape& shape) const;
  /// A uniform tensor's element, rank 0.
  Tensor narrowed_to_one() const { return repeated_to(Shape()); }
  Tensor reshaped(const Shape& shape) const;  ///< shares elements when they are contiguous

  // The vocabulary that derivative rules are written in (see ops/recordable.hpp): here it computes.
  static Tensor apply(const Operation& operation, std::span<const Tensor> operands,
                      const std::source_location& where);
  Tensor constant(const Shape& shape, double value) const;
  Tensor lowest_finite(const Shape& shape) const;

 private:
  Tensor(Shape shape, std::vector<Extent> strides, Extent offset,
         std::shared_ptr<const std::vector<E>> storage)
      : shape_(std::move(shape)),
        strides_(std::move(strides)),
        offset_(offset),
        storage_(std::move(storage)) {}
  bool is_row_major() const;
  Tensor dense() const;

  Shape shape_;
  std::vector<Extent> strides_;  // in elements; 0 repeats
  Extent offset_ = 0;
  std::shared_ptr<const std::vector<E>> storage_;
  std::shared_ptr<const Selection> selection_;  // set: storage_ is empty
};

/// Same shape and the same bits in every element; any NaN equals any NaN.
template <class E>
bool same_bits(const Tensor<E>& a, const Tensor<E>& b);

/// "[[1, 2], [3, 4]]": shortest decimals that read back, no exponent, integers without a point.
template <class E>
std::string describe(const Tensor<E>& tensor);

/// The extent of windows of `size` elements `dilation` apart, `step` between windows, along `extent`
/// elements: floor((extent - span) / step) + 1, with span = dilation (size - 1) + 1.
constexpr Extent window_count(Extent extent, Extent size, Extent step, Extent dilation) {
  return (extent - (dilation * (size - 1) + 1)) / step + 1;
}

#define TOPOS_INSTANTIATE(E) extern template class Tensor<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
