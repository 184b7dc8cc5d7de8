// Captured files of lines "title: number number ...", numbers as C's hexadecimal floats.
#pragma once

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/golden.hpp"

namespace topos::testing {

/// The numbers of each line of golden file `name`, by title; "//" opens a remark.
inline std::map<std::string, std::vector<double>> captured_numbers(const std::string& name) {
  std::map<std::string, std::vector<double>> numbers;
  std::istringstream lines(golden_text(name));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//")) continue;
    const std::size_t colon = line.find(": ");
    std::istringstream words(line.substr(colon + 2));
    for (std::string word; words >> word;) {
      numbers[line.substr(0, colon)].push_back(std::strtod(word.c_str(), nullptr));
    }
  }
  return numbers;
}

}  // namespace topos::testing
