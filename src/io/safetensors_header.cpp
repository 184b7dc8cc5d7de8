#include "io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "topos/base/error.hpp"

namespace topos::detail {
namespace {

using Entry = SafetensorsHeader::Entry;

/// Names come from the file and may be long.
[[noreturn]] void refuse(const std::string& name, std::string_view rule) {
  throw EnvironmentError(fmt::format("tensor '{:.200}' {}", name, rule));
}
[[noreturn]] void refuse(std::string_view rule) {
  throw EnvironmentError(fmt::format("the header {}", rule));
}

/// Hears the JSON as it is read, and allows nothing but a header: no other depth, type, key or number.
class HeaderReader {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  SafetensorsHeader take() { return std::move(header_); }

  bool null() { misplaced("null"); }
  bool boolean(bool) { misplaced("a boolean"); }
  bool number_integer(number_integer_t) { misplaced("a negative number"); }
  bool number_float(number_float_t, const string_t&) {
    misplaced("a number that is not a whole one below 2^64");
  }
  bool binary(binary_t&) { misplaced("binary data"); }

  bool number_unsigned(number_unsigned_t number) {
    if (place_ == Place::shape) {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<Extent>::max())) {
        refuse(entry().name, fmt::format("has an extent of {}", number));
      }
      shape_.push_back(static_cast<Extent>(number));
    } else if (place_ == Place::offsets && offset_count_ < 2) {
      (offset_count_++ == 0 ? entry().begin : entry().end) = number;
    } else {
      misplaced("a number");
    }
    return true;
  }

  bool string(string_t& text) {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(key_, text).second) {
        refuse(fmt::format("has metadata '{:.200}' twice", key_));
      }
    } else if (place_ == Place::tensor && key_ == "dtype") {
      entry().dtype = find_dtype(text);
      if (entry().dtype == nullptr)
        refuse(entry().name, fmt::format("has the unknown dtype '{:.200}'", text));
    } else {
      misplaced("a string");
    }
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ == Place::outside) {
      place_ = Place::root;
    } else if (place_ == Place::root && key_ == "__metadata__") {
      place_ = Place::metadata;
    } else if (place_ == Place::root) {
      place_ = Place::tensor;
      header_.entries.push_back({.name = key_});
      fields_seen_ = 0;
    } else {
      misplaced("an object");
    }
    return true;
  }

  bool key(string_t& text) {
    if (place_ == Place::root && !names_.insert(text).second) refuse(text, "is listed twice");
    if (place_ == Place::tensor) {
      const unsigned field = text == "dtype" ? 1u : text == "shape" ? 2u : text == "data_offsets" ? 4u : 0u;
      if (field == 0 || (fields_seen_ & field) != 0) {
        refuse(entry().name,
               fmt::format("has {} '{:.200}'", field == 0 ? "an unknown field" : "two fields", text));
      }
      fields_seen_ |= field;
    }
    key_ = text;
    return true;
  }

  bool end_object() {
    if (place_ == Place::tensor && fields_seen_ != 7)
      refuse(entry().name, "lacks a dtype, shape or data_offsets");
    place_ = place_ == Place::root ? Place::outside : Place::root;
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ == Place::tensor && key_ == "shape") {
      place_ = Place::shape;
      shape_.clear();
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      place_ = Place::offsets;
      offset_count_ = 0;
    } else {
      misplaced("an array");
    }
    return true;
  }

  bool end_array() {
    if (place_ == Place::shape) {
      try {
        entry().shape = shape_from_file(std::move(shape_));
      } catch (const EnvironmentError& error) {
        refuse(entry().name, fmt::format("is impossible: {:.200}", error.what()));
      }
    } else if (offset_count_ != 2) {
      refuse(entry().name, "needs two data_offsets");
    }
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    refuse(fmt::format("is not JSON at byte {}", position));
  }

 private:
  enum class Place { outside, root, metadata, tensor, shape, offsets };

  Entry& entry() { return header_.entries.back(); }
  [[noreturn]] void misplaced(std::string_view what) {
    refuse(fmt::format("has {} where none belongs, after '{:.200}'", what, key_));
  }

  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::string key_;
  std::unordered_set<std::string> names_;
  std::vector<Extent> shape_;
  int offset_count_ = 0;
  unsigned fields_seen_ = 0;
};

/// Each entry has the bytes that it needs, and together they are the data: no hole, no overlap, no rest.
void check_offsets(const std::vector<Entry>& entries, std::uint64_t data_size) {
  std::vector<const Entry*> in_order(entries.size());
  std::ranges::transform(entries, in_order.begin(), [](const Entry& entry) { return &entry; });
  std::ranges::sort(in_order, {}, [](const Entry* entry) { return std::pair(entry->begin, entry->end); });
  std::uint64_t reached = 0;
  for (const Entry* entry : in_order) {
    if (entry->begin != reached) {
      refuse(entry->name,
             fmt::format("begins at byte {} of the data; the one before ends at {}: {}", entry->begin,
                         reached, entry->begin > reached ? "a hole" : "an overlap"));
    }
    const std::optional<std::uint64_t> needed = byte_count(*entry->dtype, entry->shape);
    if (!needed || entry->end < entry->begin || entry->end - entry->begin != *needed) {
      refuse(entry->name, fmt::format("of {} and shape {:.200} does not take the bytes {} to {}",
                                      entry->dtype->name, describe(entry->shape), entry->begin, entry->end));
    }
    reached = entry->end;
  }
  if (reached != data_size) {
    throw EnvironmentError(fmt::format("the tensors need {} bytes; the file has {}", reached, data_size));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size) {
  if (!json.starts_with('{')) refuse("does not begin with '{'");
  // The JSON parser takes a null byte for the end of its input.
  if (json.find('\0') != std::string_view::npos) refuse("has a null byte");
  HeaderReader reader;
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  SafetensorsHeader header = reader.take();
  check_offsets(header.entries, data_size);
  return header;
}

}  // namespace topos::detail
