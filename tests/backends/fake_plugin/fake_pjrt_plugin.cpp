// A plugin that is none: an API table as a plugin of another version would hand it out.
// TOPOS_FAKE_PJRT_MAJOR picks its major version, TOPOS_FAKE_PJRT_SIZE how many bytes of the table it claims.
#include <pjrt_c_api.h>

#include <cstdlib>

namespace {

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api{};
  api.struct_size = static_cast<size_t>(number("TOPOS_FAKE_PJRT_SIZE", PJRT_Api_STRUCT_SIZE));
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = number("TOPOS_FAKE_PJRT_MAJOR", PJRT_API_MAJOR);
  api.pjrt_api_version.minor_version = 7;
  // Beyond a claimed size lies what a caller must not touch.
  api.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* { std::abort(); };
  return &api;
}
