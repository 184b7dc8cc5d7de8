#include "plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "topos/base/error.hpp"

namespace topos::backends::pjrt::detail {

const Plugin& Plugin::load(const std::filesystem::path& path) {
  // Neither the map nor the plugins are ever destroyed: threads of a plugin may outlive main.
  static auto& mutex = *new std::mutex;
  static auto& loaded = *new std::map<std::filesystem::path, const Plugin>;
  std::error_code error;
  const auto file = std::filesystem::canonical(path, error);
  if (error) {
    throw EnvironmentError(
        fmt::format("[pjrt] the plugin {} cannot be found: {}", path.string(), error.message()));
  }
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(file); found != loaded.end()) return found->second;
  return loaded.emplace(file, open(file)).first->second;
}

Plugin Plugin::open(const std::filesystem::path& path) {
  ::setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw EnvironmentError(
        fmt::format("[pjrt] the plugin {} cannot be loaded: {}", path.string(), ::dlerror()));
  }
  using GetApi = const PJRT_Api* (*)();
  const auto get_api = reinterpret_cast<GetApi>(::dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    throw EnvironmentError(
        fmt::format("[pjrt] {} is a shared library but no PJRT plugin: it has no GetPjrtApi", path.string()));
  }
  const PJRT_Api* api = get_api();
  if (api == nullptr || api->struct_size < offsetof(PJRT_Api, PJRT_Error_Destroy)) {
    throw EnvironmentError(fmt::format("[pjrt] the plugin {} hands out no API", path.string()));
  }
  Plugin plugin(path.string(), api);
  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR) {
    throw EnvironmentError(
        fmt::format("[pjrt] the plugin {} speaks version {} of the PJRT API; topos speaks {}.x",
                    plugin.path(), plugin.version(), PJRT_API_MAJOR));
  }
  TOPOS_PJRT_STRUCT(PJRT_Plugin_Initialize_Args, args);
  plugin.call(&PJRT_Api::PJRT_Plugin_Initialize, args, "initialising the plugin");
  return plugin;
}

std::string Plugin::version() const {
  return fmt::format("{}.{}", api_->pjrt_api_version.major_version, api_->pjrt_api_version.minor_version);
}

void Plugin::destroy(PJRT_Error* error) const noexcept {
  TOPOS_PJRT_STRUCT(PJRT_Error_Destroy_Args, args);
  args.error = error;
  api_->PJRT_Error_Destroy(&args);
}

void Plugin::fail(PJRT_Error* error, std::string_view doing) const {
  TOPOS_PJRT_STRUCT(PJRT_Error_Message_Args, args);
  args.error = error;
  api_->PJRT_Error_Message(&args);
  std::string_view text(args.message, args.message_size);
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  // Copied before the error, which owns the text, goes.
  const std::string message = fmt::format("[pjrt] {}: {} (plugin {}, API {})", doing, text, path_, version());
  destroy(error);
  throw EnvironmentError(message);
}

void Plugin::fail_as_missing(std::string_view doing) const {
  throw EnvironmentError(fmt::format("[pjrt] {}: the plugin {} lacks the function for it in its API {}",
                                     doing, path_, version()));
}

Event::~Event() {
  if (handle_ == nullptr) return;
  TOPOS_PJRT_STRUCT(PJRT_Event_Await_Args, args);
  args.event = handle_;
  plugin_->attempt(&PJRT_Api::PJRT_Event_Await, args);
  destroy();
}

void Event::wait(std::string_view doing) {
  if (handle_ == nullptr) return;
  TOPOS_PJRT_STRUCT(PJRT_Event_Await_Args, args);
  args.event = handle_;
  plugin_->call(&PJRT_Api::PJRT_Event_Await, args, doing);
  destroy();
}

void Event::destroy() noexcept {
  TOPOS_PJRT_STRUCT(PJRT_Event_Destroy_Args, args);
  args.event = std::exchange(handle_, nullptr);
  plugin_->attempt(&PJRT_Api::PJRT_Event_Destroy, args);
}

}  // namespace topos::backends::pjrt::detail
