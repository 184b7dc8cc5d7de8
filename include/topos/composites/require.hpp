// How a composite refuses its operands: in the words of an operation's own refusal.
#pragma once

#include <fmt/format.h>

#include "topos/base/error.hpp"
#include "topos/ops/recordable.hpp"

namespace topos::detail {

/// Throws a ShapeError "[name] rule; got [2, 3] and [4]; recorded at file:line" unless `holds`.
inline void require(bool holds, std::string_view name, std::string_view rule,
                    std::initializer_list<Shape> shapes, const Where& where) {
  if (holds) return;
  std::string got;
  for (const Shape& shape : shapes) got += (got.empty() ? "" : " and ") + describe(shape);
  throw ShapeError(fmt::format("[{}] {}; got {}; recorded at {}", name, rule, got, describe(where)));
}

}  // namespace topos::detail
