// A composition of nodes that a backend may compute as one operation: recognised by structure, offered as
// data.
#pragma once

#include <any>
#include <string_view>
#include <vector>

#include "topos/graph/graph.hpp"

namespace topos {

class StableHloWriter;  // emission's, which this layer only hands on

/// A pattern's text, given its attributes.
struct PatternSpelling {
  bool (*fits)(const std::any& attributes, const StableHloWriter& out);  ///< whether the text has it here
  void (*spell)(const std::any& attributes, StableHloWriter& out);       ///< writes it
};

/// One match. Nothing in the program changes; a consumer elects what it supports.
struct Candidate {
  std::string_view pattern;          ///< the pattern's name: "WindowProduct"
  NodeIndex root;                    ///< the node whose value the operation gives
  std::vector<NodeIndex> interiors;  ///< nodes the operation stands for, besides the root; ascending
  std::vector<NodeIndex> gives;      ///< further nodes whose values the operation gives, besides the root's
  std::vector<NodeIndex> reads;      ///< the nodes the operation reads
  std::any attributes;               ///< the pattern's own data (a struct of that name)
  const PatternSpelling* spelling = nullptr;  ///< of a program's own pattern; emission knows the library's
};

}  // namespace topos
