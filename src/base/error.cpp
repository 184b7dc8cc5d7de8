#include "topos/base/error.hpp"

#include <fmt/format.h>

namespace topos {

std::string describe(const std::source_location& where) {
  return fmt::format("{}:{}", where.file_name(), where.line());
}

}  // namespace topos
