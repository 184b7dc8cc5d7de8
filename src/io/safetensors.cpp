#include "topos/io/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/safetensors_header.hpp"
#include "topos/base/error.hpp"
#include "topos/base/file.hpp"

namespace topos {
namespace {

constexpr std::size_t length_bytes = sizeof(std::uint64_t);

/// The bytes of a file or of memory: fills a span from an offset.
using Read = std::function<void(std::uint64_t, std::span<std::byte>)>;

Checkpoint parse(std::uint64_t size, const Read& read) {
  if (size < length_bytes)
    throw EnvironmentError(fmt::format("{} bytes are too few for a header's length", size));
  std::uint64_t header_size = 0;
  read(0, std::as_writable_bytes(std::span(&header_size, 1)));
  if (header_size > largest_safetensors_header || header_size > size - length_bytes) {
    throw EnvironmentError(fmt::format("a header of {} bytes does not fit: the file has {}, the limit is {}",
                                       header_size, size, largest_safetensors_header));
  }
  std::string json(static_cast<std::size_t>(header_size), '\0');
  read(length_bytes, std::as_writable_bytes(std::span(json)));
  const std::uint64_t data_begin = length_bytes + header_size;
  detail::SafetensorsHeader header = detail::parse_safetensors_header(json, size - data_begin);

  Checkpoint checkpoint;
  checkpoint.metadata = std::move(header.metadata);
  for (auto& entry : header.entries) {
    const std::uint64_t begin = data_begin + entry.begin;
    checkpoint.add(std::move(entry.name),
                   stored_tensor(*entry.dtype, std::move(entry.shape),
                                 [&](std::span<std::byte> bytes) { read(begin, bytes); }));
  }
  return checkpoint;
}

std::string quoted(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw UsageError(
        fmt::format("a name or metadata of {} bytes is not UTF-8, which a checkpoint needs", text.size()));
  }
}

/// The header's length and the header, and the tensors in the order of their bytes.
struct Layout {
  std::string head;
  std::vector<StoredBytes> data;
};

/// Wider elements come first, so that every tensor begins at a multiple of its element; the header keeps the
/// checkpoint's order.
Layout lay_out(const Checkpoint& checkpoint) {
  const auto& entries = checkpoint.entries();
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto bits = [&](std::size_t i) { return detail::find_dtype(entries[i].tensor.dtype())->bits; };
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return std::pair(-bits(a), a) < std::pair(-bits(b), b); });

  Layout layout;
  layout.data.reserve(entries.size());
  std::vector<std::uint64_t> begins(entries.size());
  std::uint64_t begin = 0;
  for (const std::size_t i : order) {
    layout.data.push_back(entries[i].tensor.bytes());
    begins[i] = begin;
    begin += layout.data.back().span.size();
  }

  std::vector<std::string> fields;
  if (!checkpoint.metadata.empty()) {
    std::vector<std::string> pairs(checkpoint.metadata.size());
    std::ranges::transform(checkpoint.metadata, pairs.begin(),
                           [](const auto& pair) { return quoted(pair.first) + ":" + quoted(pair.second); });
    fields.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(pairs, ",")));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [name, tensor] = entries[i];
    if (name == "__metadata__") throw UsageError("a tensor cannot be named __metadata__ in a checkpoint");
    const std::uint64_t size = *detail::byte_count(*detail::find_dtype(tensor.dtype()), tensor.shape());
    fields.push_back(fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                                 quoted(name), tensor.dtype(), fmt::join(tensor.shape().extents(), ","),
                                 begins[i], begins[i] + size));
  }
  std::string json = fmt::format("{{{}}}", fmt::join(fields, ","));
  json.append(-json.size() % 8, ' ');  // the data begin at a multiple of eight
  if (json.size() > largest_safetensors_header) {
    throw UsageError(fmt::format("the names need a header of {} bytes; a checkpoint's limit is {}",
                                 json.size(), largest_safetensors_header));
  }
  const std::uint64_t length = json.size();
  layout.head.resize(length_bytes);
  std::memcpy(layout.head.data(), &length, length_bytes);
  layout.head += json;
  return layout;
}

}  // namespace

Checkpoint parse_safetensors(std::span<const std::byte> file) {
  return parse(file.size(), [&](std::uint64_t offset, std::span<std::byte> bytes) {
    std::ranges::copy(file.subspan(static_cast<std::size_t>(offset), bytes.size()), bytes.begin());
  });
}

std::string format_safetensors(const Checkpoint& checkpoint) {
  Layout layout = lay_out(checkpoint);
  std::string file = std::move(layout.head);
  for (const StoredBytes& bytes : layout.data) {
    file.append(reinterpret_cast<const char*>(bytes.span.data()), bytes.span.size());
  }
  return file;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const Layout layout = lay_out(checkpoint);
  FileReplacement file(path);
  file.write(layout.head);
  for (const StoredBytes& bytes : layout.data) file.write(bytes.span);
  file.commit();
}

// Read, not mapped: a mapped file that somebody cuts ends the process, and elements are kept as vectors
// anyway. Each tensor is read to its own place, so that a checkpoint is in memory once.
Checkpoint load_checkpoint(const std::string& path) {
  const FileReader file(path);
  try {
    return parse(file.size(),
                 [&](std::uint64_t offset, std::span<std::byte> bytes) { file.read(offset, bytes); });
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{} is not a whole safetensors file: {}", path, error.what()));
  }
}

}  // namespace topos
