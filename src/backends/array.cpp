#include "topos/backends/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays travel as the little-endian bytes they are");

struct ElementFacts {
  ArrayElement element;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array element_facts{
    ElementFacts{ArrayElement::f32, "f32", 4},   ElementFacts{ArrayElement::f64, "f64", 8},
    ElementFacts{ArrayElement::bf16, "bf16", 2}, ElementFacts{ArrayElement::i1, "i1", 1},
    ElementFacts{ArrayElement::i32, "i32", 4},   ElementFacts{ArrayElement::i64, "i64", 8},
};

const ElementFacts& facts(ArrayElement element) {
  for (const ElementFacts& entry : element_facts) {
    if (entry.element == element) return entry;
  }
  throw UsageError(fmt::format("[array] {} is no ArrayElement", static_cast<int>(element)));
}

std::size_t count_elements(ArrayElement element, std::span<const std::int64_t> extents) {
  std::size_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (const std::int64_t extent : extents) {
    if (extent < 0) throw UsageError(fmt::format("[array] extents are not negative; got {}", extent));
    if (extent == 0) empty = true;
    overflow |= __builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count);
  }
  if (empty) return 0;
  std::size_t bytes = 0;
  overflow |= __builtin_mul_overflow(count, byte_size(element), &bytes);
  if (overflow) {
    throw UsageError(fmt::format("[array] {} holds more bytes than can be addressed",
                                 describe(ArrayType{element, {extents.begin(), extents.end()}})));
  }
  return count;
}

template <class Number>
Array copy(std::vector<std::int64_t> extents, std::span<const Number> values) {
  Array array{array_element_of<Number>, std::move(extents), {}};
  const std::size_t wanted = count_elements(array.element, array.extents);
  if (values.size() != wanted) {
    throw UsageError(fmt::format("[array] {} holds {} elements; {} values are given", describe(array.type()),
                                 wanted, values.size()));
  }
  const auto bytes = std::as_bytes(values);
  array.bytes.assign(bytes.begin(), bytes.end());
  check_bytes(array, "array");
  return array;
}

}  // namespace

std::size_t byte_size(ArrayElement element) { return facts(element).bytes; }

std::string_view name(ArrayElement element) { return facts(element).name; }

ArrayElement array_element(std::string_view name) {
  for (const ElementFacts& entry : element_facts) {
    if (entry.name == name) return entry.element;
  }
  throw UsageError(fmt::format("[array] '{}' is no element; known are f32, f64, bf16, i1, i32, i64", name));
}

std::size_t ArrayType::element_count() const { return count_elements(element, extents); }

std::size_t ArrayType::byte_count() const { return element_count() * byte_size(element); }

std::string describe(const ArrayType& type) {
  std::string text = "tensor<";
  for (const std::int64_t extent : type.extents) text += fmt::format("{}x", extent);
  text += name(type.element);
  text += '>';
  return text;
}

Array Array::zeros(const ArrayType& type) {
  return {type.element, type.extents, std::vector<std::byte>(type.byte_count())};
}

Array Array::of(std::vector<std::int64_t> extents, std::span<const float> values) {
  return copy(std::move(extents), values);
}
Array Array::of(std::vector<std::int64_t> extents, std::span<const double> values) {
  return copy(std::move(extents), values);
}
Array Array::of(std::vector<std::int64_t> extents, std::span<const std::uint16_t> values) {
  return copy(std::move(extents), values);
}
Array Array::of(std::vector<std::int64_t> extents, std::span<const std::uint8_t> values) {
  return copy(std::move(extents), values);
}
Array Array::of(std::vector<std::int64_t> extents, std::span<const std::int32_t> values) {
  return copy(std::move(extents), values);
}
Array Array::of(std::vector<std::int64_t> extents, std::span<const std::int64_t> values) {
  return copy(std::move(extents), values);
}

void Array::check_values(ArrayElement wanted) const {
  if (element != wanted) {
    throw UsageError(fmt::format("[array] {} was read as {}", describe(type()), name(wanted)));
  }
  check_bytes(*this, "array");
}

std::vector<float> Array::floats() const {
  std::vector<float> result;
  if (element == ArrayElement::bf16) {
    for (const std::uint16_t bits : values<std::uint16_t>())
      result.push_back(std::bit_cast<float>(std::uint32_t{bits} << 16));
  } else {
    const std::span<const float> all = values<float>();
    result.assign(all.begin(), all.end());
  }
  return result;
}

std::vector<ArrayView> views(std::span<const Array> arrays) { return {arrays.begin(), arrays.end()}; }

void check_bytes(const ArrayView& array, std::string_view what) {
  const std::size_t wanted = count_elements(array.element, array.extents) * byte_size(array.element);
  if (array.bytes.size() != wanted) {
    throw UsageError(fmt::format("[array] {}: {} takes {} bytes; it has {}", what, describe(array.type()),
                                 wanted, array.bytes.size()));
  }
  if (array.element != ArrayElement::i1) return;
  const auto stray = std::ranges::find_if(array.bytes, [](std::byte b) { return b > std::byte{1}; });
  if (stray != array.bytes.end()) {
    throw UsageError(fmt::format("[array] {}: an i1 is 0 or 1; element {} is {}", what,
                                 stray - array.bytes.begin(), static_cast<int>(*stray)));
  }
}

void check_type(const ArrayView& array, const ArrayType& wanted, std::string_view what) {
  if (array.element != wanted.element || !std::ranges::equal(array.extents, wanted.extents)) {
    throw UsageError(
        fmt::format("[array] {} is {}; {} is wanted", what, describe(array.type()), describe(wanted)));
  }
  check_bytes(array, what);
}

}  // namespace topos::backends
