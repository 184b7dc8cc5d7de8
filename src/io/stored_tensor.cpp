#include "topos/io/stored_tensor.hpp"

#include <fmt/format.h>

#include <cstring>

#include "io/dtype.hpp"
#include "topos/base/error.hpp"

namespace topos {
namespace {

template <class E>
Tensor<E> filled_tensor(Shape shape, const std::function<void(std::span<std::byte>)>& fill) {
  std::vector<E> elements(static_cast<std::size_t>(shape.volume()));
  fill(std::as_writable_bytes(std::span(elements)));
  return Tensor<E>(std::move(shape), std::move(elements));
}

template <class To, class From>
Tensor<To> converted(const Tensor<From>& tensor) {
  const Elements<From> from = tensor.elements();
  return Tensor<To>(tensor.shape(), std::vector<To>(from.begin(), from.end()));
}

}  // namespace

StoredTensor stored_tensor(const detail::Dtype& dtype, Shape shape,
                           const std::function<void(std::span<std::byte>)>& fill) {
  if (&dtype == &detail::f32) return filled_tensor<float>(std::move(shape), fill);
  if (&dtype == &detail::f64) return filled_tensor<double>(std::move(shape), fill);
  const std::optional<std::uint64_t> size = detail::byte_count(dtype, shape);
  if (!size) throw InternalError("a stored tensor's size was not checked");
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(*size));
  fill(*bytes);
  return StoredTensor(StoredTensor::Raw{&dtype, std::move(shape), std::move(bytes)});
}

StoredTensor::StoredTensor(std::string_view dtype, Shape shape, std::span<const std::byte> bytes) {
  const detail::Dtype* const row = detail::find_dtype(dtype);
  if (row == nullptr) throw UsageError(fmt::format("no element type is named '{}'", dtype));
  if (detail::byte_count(*row, shape) != bytes.size()) {
    throw UsageError(
        fmt::format("a {} tensor of shape {} cannot have {} bytes", dtype, describe(shape), bytes.size()));
  }
  *this = stored_tensor(*row, std::move(shape),
                        [&](std::span<std::byte> to) { std::ranges::copy(bytes, to.begin()); });
}

const detail::Dtype& StoredTensor::type() const {
  if (std::holds_alternative<Tensor<float>>(held_)) return detail::f32;
  if (std::holds_alternative<Tensor<double>>(held_)) return detail::f64;
  return *std::get<Raw>(held_).dtype;
}

std::string_view StoredTensor::dtype() const { return type().name; }

const Shape& StoredTensor::shape() const {
  if (const auto* floats = std::get_if<Tensor<float>>(&held_)) return floats->shape();
  if (const auto* doubles = std::get_if<Tensor<double>>(&held_)) return doubles->shape();
  return std::get<Raw>(held_).shape;
}

StoredBytes StoredTensor::bytes() const {
  const auto of_elements = []<class E>(const Tensor<E>& tensor) {
    auto elements = std::make_shared<const Elements<E>>(tensor.elements());
    return StoredBytes{elements, std::as_bytes(elements->span())};
  };
  if (const auto* floats = std::get_if<Tensor<float>>(&held_)) return of_elements(*floats);
  if (const auto* doubles = std::get_if<Tensor<double>>(&held_)) return of_elements(*doubles);
  const auto& bytes = std::get<Raw>(held_).bytes;
  return {bytes, *bytes};
}

template <class E>
Tensor<E> StoredTensor::as(Narrowing narrowing, std::string_view what) const {
  const auto refuse = [&](std::string_view reason) {
    return UsageError(
        fmt::format("{} holds {} elements of shape {}, {}", what, dtype(), describe(shape()), reason));
  };
  if (const auto* same = std::get_if<Tensor<E>>(&held_)) return *same;
  if (const auto* floats = std::get_if<Tensor<float>>(&held_)) return converted<E>(*floats);
  if (const auto* doubles = std::get_if<Tensor<double>>(&held_)) {
    if (narrowing == Narrowing::refuse) {
      throw refuse("which f32 would round: ask for f64, or pass Narrowing::round");
    }
    return converted<E>(*doubles);
  }
  if (type().half == nullptr) throw refuse("which are not read as floats: use its bytes");
  const StoredBytes halves = bytes();
  std::vector<E> elements(halves.span.size() / sizeof(std::uint16_t));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, halves.span.data() + i * sizeof bits, sizeof bits);
    elements[i] = type().half(bits);
  }
  return Tensor<E>(shape(), std::move(elements));
}

template Tensor<float> StoredTensor::as(Narrowing, std::string_view) const;
template Tensor<double> StoredTensor::as(Narrowing, std::string_view) const;

}  // namespace topos
