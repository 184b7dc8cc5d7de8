// Captured recordings under tests/golden/describe that hold several programs, each under its title.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "support/golden.hpp"

namespace topos::testing {

/// The blocks of describe/`name`, by title: "# title" opens a block, "// ..." is a remark, empty lines part
/// blocks.
inline std::map<std::string, std::string> golden_blocks(const std::string& name) {
  std::istringstream lines(golden_text("describe/" + name));
  std::map<std::string, std::string> blocks;
  std::string title;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      title = line.substr(2);
    } else if (!line.empty() && !line.starts_with("//")) {
      blocks[title] += line + '\n';
    }
  }
  return blocks;
}

}  // namespace topos::testing
