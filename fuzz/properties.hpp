// What holds for any bytes: a format's parser gives tensors or an EnvironmentError, and what it gives is
// written and read back the same. The fuzzers try this on bytes of their own, a test on the seeds.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "topos/base/error.hpp"
#include "topos/io/npy.hpp"
#include "topos/io/npz.hpp"
#include "topos/io/safetensors.hpp"

namespace topos::fuzz {

using Bytes = std::span<const std::byte>;

inline Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The same bytes; and floats where the type has them.
inline void require_same(const StoredTensor& a, const StoredTensor& b) {
  require(a.dtype() == b.dtype() && a.shape() == b.shape() &&
          std::ranges::equal(a.bytes().span, b.bytes().span));
  try {
    require(a.as<double>().shape() == a.shape());
  } catch (const UsageError&) {
    require(!a.dtype().starts_with('F') || a.dtype().size() > 3);  // F16, F32 and F64 are floats
  }
}

inline void require_same(const Checkpoint& a, const Checkpoint& b) {
  require(a.metadata == b.metadata && a.entries().size() == b.entries().size());
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    require(a.entries()[i].name == b.entries()[i].name);
    require_same(a.entries()[i].tensor, b.entries()[i].tensor);
  }
}

/// Whether the parser took the bytes.
template <class Parse, class Format>
bool accepts(Bytes bytes, Parse parse, Format format) {
  try {
    const auto parsed = parse(bytes);
    require_same(parsed, parse(bytes_of(format(parsed))));
    return true;
  } catch (const EnvironmentError&) {
    return false;
  }
}

inline bool accepts_safetensors(Bytes bytes) { return accepts(bytes, parse_safetensors, format_safetensors); }
inline bool accepts_npy(Bytes bytes) { return accepts(bytes, parse_npy, format_npy); }
inline bool accepts_npz(Bytes bytes) {
  return accepts(bytes, parse_npz,
                 [](const Checkpoint& checkpoint) { return format_npz(checkpoint, Compression::stored); });
}

}  // namespace topos::fuzz
