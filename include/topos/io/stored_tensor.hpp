// A tensor as a file holds it: elements of some type, which need not be one that topos computes in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "topos/tensor/tensor.hpp"

namespace topos {

namespace detail {
struct Dtype;
}

/// What to do with f64 elements where f32 is asked for: an error, or one rounding to the nearest.
enum class Narrowing { refuse, round };

/// The bytes of a tensor's elements, row-major and little-endian; keeps them alive.
struct StoredBytes {
  std::shared_ptr<const void> owner;  ///< of the memory
  std::span<const std::byte> span;    ///< the elements
};

/// A tensor and its element type: a Tensor<float> or Tensor<double>, or the bytes of any other type of the
/// safetensors format (F16, BF16, I64, BOOL, ...). Copies share the elements.
class StoredTensor {
 public:
  StoredTensor(Tensor<float> tensor) : held_(std::move(tensor)) {}   // NOLINT(google-explicit-constructor)
  StoredTensor(Tensor<double> tensor) : held_(std::move(tensor)) {}  // NOLINT(google-explicit-constructor)
  /// `bytes` are the elements in row-major order, little-endian. Throws UsageError for an unknown type or
  /// another number of bytes than the shape needs.
  StoredTensor(std::string_view dtype, Shape shape, std::span<const std::byte> bytes);

  /// The element type as safetensors spells it: "F32", "BF16", "I64".
  std::string_view dtype() const;

  // The tensor's shape, and its elements as a file has them.
  const Shape& shape() const;
  StoredBytes bytes() const;

  /// The elements as floats. F16, BF16 and F32 widen exactly; F64 becomes f32 only when rounding is asked
  /// for. Throws UsageError for that and for a type that has no floats; `what` is for the message.
  template <class E>
  Tensor<E> as(Narrowing narrowing = Narrowing::refuse, std::string_view what = "a stored tensor") const;

 private:
  friend StoredTensor stored_tensor(const detail::Dtype&, Shape,
                                    const std::function<void(std::span<std::byte>)>&);
  struct Raw {
    const detail::Dtype* dtype;
    Shape shape;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  explicit StoredTensor(Raw raw) : held_(std::move(raw)) {}
  const detail::Dtype& type() const;

  std::variant<Tensor<float>, Tensor<double>, Raw> held_;
};

extern template Tensor<float> StoredTensor::as(Narrowing, std::string_view) const;
extern template Tensor<double> StoredTensor::as(Narrowing, std::string_view) const;

}  // namespace topos
