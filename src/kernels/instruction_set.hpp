// Which instruction set the kernels run on. The bits do not depend on it; the speed does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topos::kernels {

/// The names that this processor can run, slowest first: "scalar", then on x86 "sse4", "avx2", "avx512".
std::vector<std::string_view> instruction_sets();

/// The one in use: the fastest, or the one that the environment variable TOPOS_ISA names. Throws
/// EnvironmentError when TOPOS_ISA names one that does not exist or that the processor lacks. Every entry
/// into the kernels goes through it once.
std::string_view instruction_set();

/// Uses another from now on, in the whole process; none: back to the default. For tests, which compare bits.
void use_instruction_set(std::optional<std::string_view> name);

}  // namespace topos::kernels
