// What a call says when its surroundings fail it.
#pragma once

#include <string>

#include "topos/base/error.hpp"

namespace topos::backends {

/// The message of the EnvironmentError that the call throws.
template <class Call>
std::string failure_of(Call call) {
  try {
    call();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no EnvironmentError";
}

}  // namespace topos::backends
