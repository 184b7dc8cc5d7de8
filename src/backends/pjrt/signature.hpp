// The argument types of a compiled module, read from the compiler's own description. Internal to this folder.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "topos/backends/array.hpp"

namespace topos::backends::pjrt::detail {

/// The parameters of a serialized xla.HloModuleProto (`format` "hlo") or xla.HloModuleProtoWithConfig
/// ("hlo_with_config"). Empty when the format is another or the bytes cannot be followed. Throws
/// EnvironmentError for a parameter whose element is none of ArrayElement.
std::optional<std::vector<ArrayType>> argument_types(std::string_view format, std::string_view program);

}  // namespace topos::backends::pjrt::detail
