// libFuzzer's target for the safetensors parser: see script/fuzz.
#include <cstdint>

#include "properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  topos::fuzz::accepts_safetensors(std::as_bytes(std::span(data, size)));
  return 0;
}
