// A test whose tool is missing says so: skipped on a machine that has not run script/bootstrap, failed in CI,
// which has every tool.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace test_support {
inline bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}
}  // namespace test_support

/// Ends the test, or the fixture's SetUp, unless `available`; streams the reason.
#define TOPOS_REQUIRE_TOOL(available, reason)                   \
  do {                                                          \
    if (available) break;                                       \
    if (::test_support::in_ci()) FAIL() << "in CI: " << reason; \
    GTEST_SKIP() << reason;                                     \
  } while (false)
