#include "kernels/instruction_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "topos/base/error.hpp"

namespace topos::kernels {
namespace {

struct Named {
  std::string_view name;
  std::int64_t target;
};

// Slowest first. Highway falls back to its emulated 128-bit target when nothing else is allowed.
constexpr Named known[] = {
    {"scalar", HWY_EMU128},
#if HWY_ARCH_X86
    {"sse4", HWY_SSE4},
    {"avx2", HWY_AVX2},
    {"avx512", HWY_AVX3},
#elif HWY_ARCH_ARM
    {"neon", HWY_NEON},
#endif
};

std::int64_t processor_targets() {
  hwy::SetSupportedTargetsForTest(0);
  return hwy::SupportedTargets() | HWY_EMU128;
}

// Allows the named target and the slower ones.
std::string_view select(const Named& chosen) {
  std::int64_t allowed = 0;
  for (const Named& one : known) {
    allowed |= one.target;
    if (one.target == chosen.target) break;
  }
  hwy::SetSupportedTargetsForTest(allowed);
  hwy::GetChosenTarget().Update(allowed);
  return chosen.name;
}

std::vector<Named> available() {
  const std::int64_t targets = processor_targets();
  std::vector<Named> result;
  std::copy_if(std::begin(known), std::end(known), std::back_inserter(result),
               [&](const Named& one) { return (targets & one.target) != 0; });
  return result;
}

std::string_view select_default() {
  const std::vector<Named> choices = available();
  const char* wanted = std::getenv("TOPOS_ISA");
  if (!wanted || !*wanted) return select(choices.back());
  for (const Named& one : choices) {
    if (one.name == wanted) return select(one);
  }
  throw EnvironmentError(fmt::format("TOPOS_ISA is \"{}\"; this processor runs: {}", wanted,
                                     fmt::join(instruction_sets(), ", ")));
}

std::mutex guard;
std::string_view current;  // empty until the first use

}  // namespace

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  for (const Named& one : available()) names.push_back(one.name);
  return names;
}

std::string_view instruction_set() {
  const std::lock_guard lock(guard);
  if (current.empty()) current = select_default();
  return current;
}

void use_instruction_set(std::optional<std::string_view> name) {
  const std::lock_guard lock(guard);
  if (!name) {
    current = select_default();
    return;
  }
  for (const Named& one : available()) {
    if (one.name == *name) {
      current = select(one);
      return;
    }
  }
  throw UsageError(fmt::format("this processor has no instruction set \"{}\"", *name));
}

}  // namespace topos::kernels
