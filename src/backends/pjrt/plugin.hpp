// A loaded plugin, and how its C API is called. Internal to this folder.
#pragma once

#include <pjrt_c_api.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "topos/backends/array.hpp"

// A zeroed argument struct that says how much of it this header knows; plugins of other versions rely on it.
// The size is that of the last field's end, which sizeof would round up over fields still to come.
#define TOPOS_PJRT_STRUCT(type, name) \
  type name{};                        \
  name.struct_size = type##_STRUCT_SIZE

namespace topos::backends::pjrt::detail {

/// Lives as long as the process.
class Plugin {
 public:
  /// The plugin at this path, loaded and initialised at its first use.
  static const Plugin& load(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  /// "0.81".
  std::string version() const;

  /// True when the plugin's API reaches as far as this function.
  template <class Args, class Result>
  bool has(Result* (*PJRT_Api::*function)(Args*)) const {
    const auto* field = reinterpret_cast<const char*>(&(api_->*function));
    const auto end =
        static_cast<std::size_t>(field - reinterpret_cast<const char*>(api_)) + sizeof(api_->*function);
    return end <= api_->struct_size && api_->*function != nullptr;
  }

  /// Calls the function; throws EnvironmentError when the plugin lacks it or reports an error. `doing` says
  /// in the message what for.
  template <class Args>
  void call(PJRT_Error* (*PJRT_Api::*function)(Args*), Args& args, std::string_view doing) const {
    if (!has(function)) fail_as_missing(doing);
    if (PJRT_Error* error = (api_->*function)(&args); error != nullptr) fail(error, doing);
  }

  /// Calls the function where an error has nobody to go to, or another way exists; true when it succeeded.
  template <class Args>
  bool attempt(PJRT_Error* (*PJRT_Api::*function)(Args*), Args& args) const noexcept {
    if (!has(function)) return false;
    PJRT_Error* error = (api_->*function)(&args);
    if (error != nullptr) destroy(error);
    return error == nullptr;
  }

 private:
  Plugin(std::string path, const PJRT_Api* api) : path_(std::move(path)), api_(api) {}
  static Plugin open(const std::filesystem::path& path);
  void destroy(PJRT_Error* error) const noexcept;
  [[noreturn]] void fail(PJRT_Error* error, std::string_view doing) const;
  [[noreturn]] void fail_as_missing(std::string_view doing) const;

  std::string path_;
  const PJRT_Api* api_;
};

/// Owns an event, which may be null. Destruction waits: while an event is pending, a plugin may read or write
/// memory of the host that its owner is about to free.
class Event {
 public:
  Event(const Plugin& plugin, PJRT_Event* handle) : plugin_(&plugin), handle_(handle) {}
  Event(Event&& other) noexcept : plugin_(other.plugin_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();

  /// Throws EnvironmentError when the event carries an error.
  void wait(std::string_view doing);

 private:
  void destroy() noexcept;

  const Plugin* plugin_;
  PJRT_Event* handle_;
};

/// A client of a plugin, kept alive by all that came from it.
struct ClientState {
  explicit ClientState(const Plugin& plugin);
  ~ClientState();
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;

  struct Sent {
    PJRT_Buffer* buffer;
    Event done_with_host;
  };
  /// Sends a checked array to the first device.
  Sent send(const ArrayView& array, PJRT_HostBufferSemantics semantics) const;

  const Plugin& plugin;
  PJRT_Client* handle = nullptr;
  PJRT_Device* device = nullptr;
  std::size_t device_count = 0;
};

/// The element's code in the API.
PJRT_Buffer_Type to_pjrt(ArrayElement element);
/// Throws EnvironmentError for a code without an ArrayElement; `what` names its bearer.
ArrayElement from_pjrt(PJRT_Buffer_Type type, std::string_view what);

void destroy(const Plugin& plugin, PJRT_Buffer* buffer) noexcept;

/// Copies a buffer's contents to the host, row-major, into exactly as many bytes as it holds; done once the
/// event is. Throws EnvironmentError, also when the run failed that should have made the contents.
Event read_back(const Plugin& plugin, PJRT_Buffer* buffer, std::size_t rank, std::span<std::byte> target);

/// Waits for a buffer's contents.
void wait_for_contents(const Plugin& plugin, PJRT_Buffer* buffer);

}  // namespace topos::backends::pjrt::detail
