// Three kinds of fault, three exception types: the caller's, ours, the environment's.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace topos {

/// Base of everything topos throws, but for the standard library's own exceptions when memory is exhausted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that has no meaning: a wrong shape, a stale symbol, a bad option.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Operands that an operation's shape rule refuses. The message names the operation, the rule, the shapes
/// and the place where the caller recorded it.
class ShapeError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// An invariant of topos is broken: a defect to report, never a reaction to input.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// A file, a process, a plugin or the operating system failed.
class EnvironmentError : public Error {
 public:
  using Error::Error;
};

/// "file:line" of a call site, for messages.
std::string describe(const std::source_location& where);

}  // namespace topos
