// Expected texts kept as files. Two kinds:
//  * captured ones, recorded from the system that topos follows: they are facts, and nothing rewrites them;
//  * our own, which TOPOS_UPDATE_GOLDENS=1 in the environment rewrites, to be reviewed as a change of the
//  text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace topos::testing {

/// `name` below tests/golden, as "stablehlo/captured/f32_pad.mlir".
inline std::filesystem::path golden_path(const std::string& name) {
  return std::filesystem::path(TOPOS_SOURCE_DIR) / "tests" / "golden" / name;
}

/// The text of a golden file, captured or our own. A missing file is a failure of the test and reads as
/// empty.
inline std::string golden_text(const std::string& name) {
  std::ifstream file(golden_path(name), std::ios::binary);
  if (!file) ADD_FAILURE() << golden_path(name) << " cannot be read";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Where two texts differ first, both lines shown: a diff of whole modules is unreadable.
inline ::testing::AssertionResult same_text(std::string_view expected, std::string_view actual) {
  if (expected == actual) return ::testing::AssertionSuccess();
  const auto take_line = [](std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
  };
  for (std::size_t number = 1;; ++number) {
    const bool ended = expected.empty() || actual.empty();
    const std::string_view wanted = take_line(expected);
    const std::string_view got = take_line(actual);
    if (ended || wanted != got) {
      return ::testing::AssertionFailure() << "the texts differ in line " << number
                                           << "\n  expected: " << wanted << "\n  actual:   " << got;
    }
    if (expected.empty() && actual.empty())
      return ::testing::AssertionFailure() << "the texts end differently";
  }
}

/// `text` is what our own golden file `name` holds; with TOPOS_UPDATE_GOLDENS=1 the file becomes `text`.
inline void expect_own_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = golden_path(name);
  ASSERT_EQ(name.find("captured"), std::string::npos)
      << name << " is not ours to rewrite: read it with golden_text()";
  const char* update = std::getenv("TOPOS_UPDATE_GOLDENS");
  if (update && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    ASSERT_TRUE(file.good()) << path << " cannot be written";
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing: run once with TOPOS_UPDATE_GOLDENS=1";
  EXPECT_TRUE(same_text(golden_text(name), text)) << "in " << path << "\nif the change is meant, run with "
                                                  << "TOPOS_UPDATE_GOLDENS=1 and review it";
}

}  // namespace topos::testing
