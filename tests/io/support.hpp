// What the tests of files share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/failure.hpp"
#include "topos/backends/temporary_directory.hpp"
#include "topos/base/file.hpp"
#include "topos/io/checkpoint.hpp"

namespace topos::io_tests {

using backends::failure_of;

template <class Call>
std::string misuse_of(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// The same element type, shape and bytes.
inline bool same(const StoredTensor& a, const StoredTensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::ranges::equal(a.bytes().span, b.bytes().span);
}

/// The same names in the same order, tensors and metadata.
inline bool same(const Checkpoint& a, const Checkpoint& b) {
  return a.metadata == b.metadata &&
         std::ranges::equal(a.entries(), b.entries(), [](const auto& left, const auto& right) {
           return left.name == right.name && same(left.tensor, right.tensor);
         });
}

/// The bytes of a safetensors file with this header.
inline std::string with_header(std::string_view json, std::size_t data_size = 0) {
  const std::uint64_t length = json.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file.append(json).append(data_size, '\0');
}

/// A folder of the test's own.
class Files : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      found.push_back(entry.path().filename());
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  backends::TemporaryDirectory folder_;
};

}  // namespace topos::io_tests
