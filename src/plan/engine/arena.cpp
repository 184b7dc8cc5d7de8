#include "plan/engine/arena.hpp"

#include <iterator>

namespace topos::engine {

std::size_t Arena::take(std::size_t bytes) {
  const auto fitting = gaps_by_size_.lower_bound({bytes, 0});
  if (fitting != gaps_by_size_.end()) {
    const auto [gap_bytes, offset] = *fitting;
    erase(gaps_.find(offset));
    if (gap_bytes > bytes) insert(offset + bytes, gap_bytes - bytes);
    return offset;
  }
  std::size_t offset = size_;  // grow, from the last gap if it reaches the end
  if (!gaps_.empty()) {
    const auto last = std::prev(gaps_.end());
    if (last->first + last->second == size_) {
      offset = last->first;
      erase(last);
    }
  }
  size_ = offset + bytes;
  return offset;
}

void Arena::give_back(std::size_t offset, std::size_t bytes) {
  const auto next = gaps_.lower_bound(offset);
  if (next != gaps_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      erase(previous);
    }
  }
  if (next != gaps_.end() && offset + bytes == next->first) {
    bytes += next->second;
    erase(next);
  }
  insert(offset, bytes);
}

void Arena::insert(std::size_t offset, std::size_t bytes) {
  gaps_.emplace(offset, bytes);
  gaps_by_size_.emplace(bytes, offset);
}

void Arena::erase(std::map<std::size_t, std::size_t>::iterator gap) {
  gaps_by_size_.erase({gap->second, gap->first});
  gaps_.erase(gap);
}

}  // namespace topos::engine
