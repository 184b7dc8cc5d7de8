// The element types that files hold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "topos/io/stored_tensor.hpp"

namespace topos {
namespace detail {

/// The 16-bit float formats as f32, exactly; a NaN keeps its sign and payload.
float from_f16(std::uint16_t bits);
float from_bf16(std::uint16_t bits);

/// One row of the table: a new type is a new row.
struct Dtype {
  std::string_view name;         // safetensors' spelling
  int bits;                      // of one element
  std::string_view npy;          // NumPy's kind and bytes, without the byte order; empty where NumPy has none
  float (*half)(std::uint16_t);  // for 16-bit floats
};

extern const Dtype& f32;
extern const Dtype& f64;

/// The row with this name, or none.
const Dtype* find_dtype(std::string_view name);
const Dtype* find_npy_dtype(std::string_view kind_and_bytes);

/// How many bytes a tensor takes; none where that is not a whole number or past 2^63.
std::optional<std::uint64_t> byte_count(const Dtype& dtype, const Shape& shape);

/// A shape read from a file. Throws EnvironmentError where Shape refuses the extents.
Shape shape_from_file(std::vector<Extent> extents);

}  // namespace detail

/// A stored tensor whose bytes, little-endian and row-major, `fill` writes in place.
StoredTensor stored_tensor(const detail::Dtype& dtype, Shape shape,
                           const std::function<void(std::span<std::byte>)>& fill);

}  // namespace topos
