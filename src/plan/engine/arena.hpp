// Offsets in one block of memory for buffers that come and go.
#pragma once

#include <cstddef>
#include <map>
#include <set>

namespace topos::engine {

/// Best fit with coalescing; each call is logarithmic in the number of gaps.
class Arena {
 public:
  /// The offset of `bytes` bytes (not 0) that nothing else holds.
  std::size_t take(std::size_t bytes);
  void give_back(std::size_t offset, std::size_t bytes);
  /// The most bytes ever held, gaps included.
  std::size_t size() const { return size_; }

 private:
  void insert(std::size_t offset, std::size_t bytes);
  void erase(std::map<std::size_t, std::size_t>::iterator gap);

  std::map<std::size_t, std::size_t> gaps_;                     // offset to bytes
  std::set<std::pair<std::size_t, std::size_t>> gaps_by_size_;  // bytes, offset
  std::size_t size_ = 0;
};

}  // namespace topos::engine
