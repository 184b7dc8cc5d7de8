#include "topos/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/npy_format.hpp"
#include "topos/base/error.hpp"
#include "topos/base/file.hpp"
#include "topos/tensor/tensor_impl.hpp"

namespace topos {
namespace detail {
namespace {

constexpr std::size_t longest_header = 10'000;  // NumPy's own limit

/// The elements of a column-major array, in row-major order.
void reorder(std::span<const std::byte> from, const Shape& shape, std::size_t width,
             std::span<std::byte> to) {
  std::vector<Extent> strides;
  Extent stride = 1;
  for (const Extent extent : shape.extents()) {
    strides.push_back(stride);
    stride *= extent;
  }
  std::size_t at = 0;
  for_each_offset(shape, strides, 0, [&](Extent offset) {
    std::ranges::copy(from.subspan(static_cast<std::size_t>(offset) * width, width), to.begin() + at);
    at += width;
  });
}

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += width) std::ranges::reverse(bytes.subspan(at, width));
}

}  // namespace

StoredTensor read_npy(std::uint64_t size, const ReadNext& next) {
  std::array<std::byte, 12> start{};  // the shortest header is longer
  if (size < start.size()) throw EnvironmentError(fmt::format("{} bytes are too few for a header", size));
  next(start);
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(start[i]); };
  const std::string_view magic(reinterpret_cast<const char*>(start.data()), 6);
  if (magic != "\x93NUMPY") throw EnvironmentError("it does not begin with \\x93NUMPY");
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    throw EnvironmentError(fmt::format("format version {}.{} is not known", byte(6), byte(7)));
  }
  const std::size_t prefix = byte(6) == 1 ? 10 : 12;
  std::size_t length = byte(8) + (byte(9) << 8);
  if (prefix == 12) length += (byte(10) << 16) + (byte(11) << 24);
  if (length < 12 || length > longest_header || prefix + length > size) {
    throw EnvironmentError(fmt::format("a header of {} bytes does not fit: the array has {}, the limit is {}",
                                       length, size, longest_header));
  }
  std::string text(prefix + length, '\0');
  std::ranges::copy(start, std::as_writable_bytes(std::span(text)).begin());
  next(std::as_writable_bytes(std::span(text)).subspan(start.size()));
  const NpyHeader header = parse_npy_header(std::string_view(text).substr(prefix));

  const std::uint64_t held = size - prefix - length;
  if (byte_count(*header.dtype, header.shape) != held) {
    throw EnvironmentError(fmt::format("{} bytes of elements are not what shape {} of {} takes", held,
                                       describe(header.shape), header.dtype->name));
  }
  return stored_tensor(*header.dtype, header.shape, [&](std::span<std::byte> bytes) {
    const auto width = static_cast<std::size_t>(header.dtype->bits) / 8;
    if (header.fortran_order && header.shape.rank() > 1) {
      std::vector<std::byte> column_major(bytes.size());
      next(column_major);
      reorder(column_major, header.shape, width, bytes);
    } else {
      next(bytes);
    }
    if (header.big_endian) swap_bytes(bytes, header.dtype->npy.starts_with('c') ? width / 2 : width);
  });
}

}  // namespace detail

StoredTensor parse_npy(std::span<const std::byte> file) {
  return detail::read_npy(file.size(), [rest = file](std::span<std::byte> bytes) mutable {
    std::ranges::copy(rest.first(bytes.size()), bytes.begin());
    rest = rest.subspan(bytes.size());
  });
}

StoredTensor load_npy(const std::string& path) {
  const FileReader file(path);
  try {
    return detail::read_npy(file.size(), [&, at = std::uint64_t{0}](std::span<std::byte> bytes) mutable {
      file.read(at, bytes);
      at += bytes.size();
    });
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{} is not a whole npy file: {}", path, error.what()));
  }
}

std::string format_npy(const StoredTensor& tensor) {
  const StoredBytes bytes = tensor.bytes();
  return detail::format_npy_header(tensor).append(reinterpret_cast<const char*>(bytes.span.data()),
                                                  bytes.span.size());
}

void save_npy(const std::string& path, const StoredTensor& tensor) {
  const std::string header = detail::format_npy_header(tensor);
  FileReplacement file(path);
  file.write(header);
  file.write(tensor.bytes().span);
  file.commit();
}

}  // namespace topos
