// Reading and writing one npy array, wherever its bytes are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "io/dtype.hpp"

namespace topos::detail {

struct NpyHeader {
  const Dtype* dtype = nullptr;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape{};
};

inline constexpr Axis most_npy_axes = 64;  // NumPy's own limit

/// The literal of a Python dictionary with the keys descr, fortran_order and shape, and nothing else. Throws
/// EnvironmentError.
NpyHeader parse_npy_header(std::string_view text);
/// What comes before the elements of a row-major, little-endian array. Throws UsageError.
std::string format_npy_header(const StoredTensor& tensor);

/// Fills a span with the next bytes of a source.
using ReadNext = std::function<void(std::span<std::byte>)>;

/// Reads an array that is exactly `size` bytes long. Throws EnvironmentError before it takes memory for
/// elements that are not there.
StoredTensor read_npy(std::uint64_t size, const ReadNext& next);

}  // namespace topos::detail
