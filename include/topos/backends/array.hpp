// What the foreign backends exchange: an element type, extents and raw bytes on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topos::backends {

/// The element types that the backends carry. f32, f64, i32, i64 are what C++ calls them; bf16 is the upper
/// half of an f32; i1 takes one byte, 0 or 1.
enum class ArrayElement { f32, f64, bf16, i1, i32, i64 };

/// Bytes of one element.
std::size_t byte_size(ArrayElement element);

/// The element's name in StableHLO text, for example "f32".
std::string_view name(ArrayElement element);

/// The inverse of name(). Throws UsageError for any other text.
ArrayElement array_element(std::string_view name);

/// An element type and extents; rank 0 has no extents.
struct ArrayType {
  ArrayElement element = ArrayElement::f32;
  std::vector<std::int64_t> extents;

  /// Product of the extents, 1 for rank 0. Throws UsageError for a negative extent or an overflow.
  std::size_t element_count() const;
  /// element_count() times byte_size(element), under the same conditions.
  std::size_t byte_count() const;

  bool operator==(const ArrayType&) const = default;
};

/// "tensor<2x3xf32>".
std::string describe(const ArrayType& type);

namespace detail {
template <class Number>
struct ElementOf;
template <>
struct ElementOf<float> {
  static constexpr ArrayElement value = ArrayElement::f32;
};
template <>
struct ElementOf<double> {
  static constexpr ArrayElement value = ArrayElement::f64;
};
template <>
struct ElementOf<std::uint16_t> {
  static constexpr ArrayElement value = ArrayElement::bf16;
};
template <>
struct ElementOf<std::uint8_t> {
  static constexpr ArrayElement value = ArrayElement::i1;
};
template <>
struct ElementOf<std::int32_t> {
  static constexpr ArrayElement value = ArrayElement::i32;
};
template <>
struct ElementOf<std::int64_t> {
  static constexpr ArrayElement value = ArrayElement::i64;
};
}  // namespace detail

/// The element that `Number` holds: float f32, double f64, uint16_t the bits of bf16, uint8_t i1, int32_t
/// and int64_t their own.
template <class Number>
inline constexpr ArrayElement array_element_of = detail::ElementOf<Number>::value;

/// A dense array in host memory: its element type, its extents, and its bytes in row-major order,
/// little-endian.
struct Array {
  ArrayElement element = ArrayElement::f32;
  std::vector<std::int64_t> extents;
  std::vector<std::byte> bytes;

  /// All elements zero.
  static Array zeros(const ArrayType& type);

  /// A copy of `values` in row-major order; their type picks the element (array_element_of).
  /// Throws UsageError unless there are as many as the extents ask for.
  static Array of(std::vector<std::int64_t> extents, std::span<const float> values);
  static Array of(std::vector<std::int64_t> extents, std::span<const double> values);
  static Array of(std::vector<std::int64_t> extents, std::span<const std::uint16_t> values);
  static Array of(std::vector<std::int64_t> extents, std::span<const std::uint8_t> values);
  static Array of(std::vector<std::int64_t> extents, std::span<const std::int32_t> values);
  static Array of(std::vector<std::int64_t> extents, std::span<const std::int64_t> values);

  /// Without the bytes.
  ArrayType type() const { return {element, extents}; }

  /// The elements in row-major order. Throws UsageError when `Number` holds another element, or when the
  /// bytes are not as many as the type asks for.
  template <class Number>
  std::span<const Number> values() const {
    check_values(array_element_of<Number>);
    return {reinterpret_cast<const Number*>(bytes.data()), bytes.size() / sizeof(Number)};
  }
  template <class Number>
  std::span<Number> values() {
    check_values(array_element_of<Number>);
    return {reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number)};
  }

  /// The elements of an f32 or a bf16 array as floats: what a tape of float answers for a value, whatever it
  /// is held in. Throws UsageError for another element.
  std::vector<float> floats() const;

  /// Equal bits: -0 differs from +0, and a NaN equals itself.
  bool operator==(const Array&) const = default;

 private:
  void check_values(ArrayElement wanted) const;
};

/// An array that lies in somebody else's memory, which outlives the view: the element type, extents and bytes
/// of an Array.
struct ArrayView {
  ArrayElement element = ArrayElement::f32;
  std::span<const std::int64_t> extents;
  std::span<const std::byte> bytes;

  ArrayView() = default;
  ArrayView(ArrayElement element_type, std::span<const std::int64_t> shape, std::span<const std::byte> data)
      : element(element_type), extents(shape), bytes(data) {}
  // NOLINTNEXTLINE(google-explicit-constructor): an array is its own view
  ArrayView(const Array& array) : element(array.element), extents(array.extents), bytes(array.bytes) {}

  /// Without the bytes.
  ArrayType type() const { return {element, {extents.begin(), extents.end()}}; }
};

/// One view for each array.
std::vector<ArrayView> views(std::span<const Array> arrays);

/// Throws UsageError unless the bytes are as many as the type asks for and every i1 is 0 or 1. `what` names
/// the array in the message.
void check_bytes(const ArrayView& array, std::string_view what);

/// Throws UsageError unless the array has exactly this type and passes check_bytes.
void check_type(const ArrayView& array, const ArrayType& wanted, std::string_view what);

}  // namespace topos::backends
