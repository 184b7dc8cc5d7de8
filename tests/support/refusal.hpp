// What misuse says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "topos/base/error.hpp"

namespace topos::testing {

/// The message of the UsageError that an action throws.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

template <class Action>
void expect_refusal(Action action, const std::string& part) {
  const std::string message = refusal(action);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace topos::testing
