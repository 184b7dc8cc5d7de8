// The name of a node, valid outside its tape.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

namespace topos {

using NodeIndex = std::uint32_t;  ///< position of a node in its program

/// A node's name: the origin of its tape, unique in the process, and its position there. Outlives sealing and
/// reopening; every reader checks the origin and the range.
class Symbol {
 public:
  Symbol(std::uint64_t origin, NodeIndex index) : origin_(origin), index_(index) {}
  // The two parts of the name.
  std::uint64_t origin() const { return origin_; }
  NodeIndex index() const { return index_; }
  auto operator<=>(const Symbol&) const = default;

 private:
  std::uint64_t origin_;
  NodeIndex index_;
};

using Symbols = std::vector<Symbol>;  ///< `{loss, hidden}` makes one of values

}  // namespace topos

template <>
struct std::hash<topos::Symbol> {
  std::size_t operator()(const topos::Symbol& symbol) const noexcept {
    return std::hash<std::uint64_t>{}(symbol.origin() * 0x9E3779B97F4A7C15u + symbol.index());
  }
};
