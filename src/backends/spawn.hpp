// Starting a child with pipes. Internal to this folder.
#pragma once

#include <sys/types.h>

#include "topos/backends/process.hpp"

namespace topos::backends::detail {

/// A started child and our side of it; the pipe ends never block.
struct Spawned {
  pid_t id;
  Descriptor input;   // writes to its standard input
  Descriptor output;  // reads from its standard output
  Descriptor errors;  // the unlinked file that is its standard error
};

/// Throws EnvironmentError when the command cannot be started.
Spawned spawn(const Command& command);

}  // namespace topos::backends::detail
