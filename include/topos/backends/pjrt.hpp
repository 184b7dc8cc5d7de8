// XLA, or any other compiler with a PJRT plugin, inside this process: StableHLO text in, arrays out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topos/backends/array.hpp"

struct PJRT_Buffer;  // of pjrt_c_api.h, which no user of this header needs
struct PJRT_LoadedExecutable;

/// Whatever the plugin reports becomes an EnvironmentError with its message and what was being done. Objects
/// keep the client alive that they came from, so they may be destroyed in any order. All const members may be
/// called from several threads at a time. A moved-from object may only be destroyed or assigned to.
namespace topos::backends::pjrt {

namespace detail {
struct ClientState;
}

/// An array in device memory that its client manages.
class Buffer {
 public:
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// Throws EnvironmentError when the element type is none of ArrayElement.
  ArrayType type() const;

  /// Waits until the contents are there, or for the failure of the run that should have made them.
  void wait() const;

  /// Copies the contents to the host, waiting for them first.
  Array to_host() const;

  /// The same into memory of the caller; throws UsageError unless it has type().byte_count() bytes.
  void to_host(std::span<std::byte> target) const;

 private:
  friend class Client;
  friend class Executable;
  Buffer(std::shared_ptr<detail::ClientState> client, PJRT_Buffer* handle);
  PJRT_Buffer* handle() const;

  std::shared_ptr<detail::ClientState> client_;
  PJRT_Buffer* handle_ = nullptr;
};

/// A module compiled for one device.
class Executable {
 public:
  Executable(Executable&& other) noexcept;
  Executable& operator=(Executable&& other) noexcept;
  ~Executable();

  /// The arguments of @main, when the plugin can tell; then they are checked before each run. Otherwise the
  /// plugin alone checks them, and XLA's compares no more than their number and their sizes in bytes.
  const std::optional<std::vector<ArrayType>>& argument_types() const { return argument_types_; }

  /// The results of @main.
  const std::vector<ArrayType>& result_types() const { return result_types_; }

  /// Runs on arrays of the host and waits for the results. The client reads arguments in place where it can
  /// (XLA's CPU client does for data at a 64-byte boundary) and has let go of them when this returns, also
  /// when it throws. Throws UsageError for arguments of wrong number or type.
  std::vector<Array> run(std::span<const ArrayView> arguments) const;
  std::vector<Array> run(std::span<const Array> arguments) const;

  /// The same into arrays that the caller keeps between runs, whose types are result_types(): a step of
  /// training then allocates nothing on the host for its results.
  void run(std::span<const ArrayView> arguments, std::span<Array> results) const;

  /// Runs on arrays of the device and leaves the results there, perhaps before they are computed. The
  /// arguments may be reused, and destroyed at any time. Throws UsageError for arguments of wrong number or
  /// type and for those of another client.
  std::vector<Buffer> execute(std::span<const Buffer* const> arguments) const;
  std::vector<Buffer> execute(std::span<const Buffer> arguments) const;

 private:
  friend class Client;
  class Loans;
  Executable(std::shared_ptr<detail::ClientState> client, PJRT_LoadedExecutable* handle);
  void read_signature();
  void check_argument_count(std::size_t count) const;
  std::vector<Buffer> launch(std::span<PJRT_Buffer* const> arguments) const;

  std::shared_ptr<detail::ClientState> client_;
  PJRT_LoadedExecutable* handle_ = nullptr;
  std::optional<std::vector<ArrayType>> argument_types_;
  std::vector<ArrayType> result_types_;
};

/// A plugin's view of its devices; everything here uses the first one.
class Client {
 public:
  /// Loads the plugin, a shared library with the entry point GetPjrtApi, and creates a client of it. A plugin
  /// is loaded and initialised once in a process and never unloaded. TF_CPP_MIN_LOG_LEVEL is set to 3 unless
  /// the environment has it, because XLA else writes to standard error.
  /// Throws EnvironmentError when the file is missing, is no plugin, or has another major version of the API.
  explicit Client(const std::filesystem::path& plugin);

  /// A client of default_plugin().
  Client() : Client(default_plugin()) {}

  Client(Client&&) noexcept = default;
  Client& operator=(Client&&) noexcept = default;

  /// TOPOS_PJRT_PLUGIN, else the plugin that topos was built with. Throws EnvironmentError without either.
  static std::filesystem::path default_plugin();

  /// The kind of device, for example "cpu".
  std::string platform() const;
  /// How many devices the process can use, of which this client takes the first.
  std::size_t device_count() const;

  /// Platform, API version and plugin in one line, for reports.
  std::string description() const;

  /// Compiles StableHLO text with a function @main for one device. Throws EnvironmentError with the plugin's
  /// diagnostic, and when an argument or result has an element type that is none of ArrayElement.
  Executable compile(std::string_view module) const;

  /// Copies an array to the device. Throws UsageError when its bytes contradict its type.
  Buffer to_device(const ArrayView& array) const;

 private:
  std::shared_ptr<detail::ClientState> client_;
};

}  // namespace topos::backends::pjrt
