#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "plugin.hpp"
#include "topos/backends/pjrt.hpp"
#include "topos/base/error.hpp"

namespace topos::backends::pjrt {
namespace detail {
namespace {

constexpr std::array element_codes{
    std::pair{ArrayElement::f32, PJRT_Buffer_Type_F32},   std::pair{ArrayElement::f64, PJRT_Buffer_Type_F64},
    std::pair{ArrayElement::bf16, PJRT_Buffer_Type_BF16}, std::pair{ArrayElement::i1, PJRT_Buffer_Type_PRED},
    std::pair{ArrayElement::i32, PJRT_Buffer_Type_S32},   std::pair{ArrayElement::i64, PJRT_Buffer_Type_S64},
};

}  // namespace

PJRT_Buffer_Type to_pjrt(ArrayElement element) {
  for (const auto& [ours, theirs] : element_codes) {
    if (ours == element) return theirs;
  }
  throw InternalError(fmt::format("[pjrt] the element {} has no code", name(element)));
}

ArrayElement from_pjrt(PJRT_Buffer_Type type, std::string_view what) {
  for (const auto& [ours, theirs] : element_codes) {
    if (theirs == type) return ours;
  }
  throw EnvironmentError(
      fmt::format("[pjrt] {} has an element type of code {}, which no array holds; convert it to f32, f64, "
                  "bf16, i1, i32 or i64",
                  what, static_cast<int>(type)));
}

ClientState::ClientState(const Plugin& loaded) : plugin(loaded) {
  TOPOS_PJRT_STRUCT(PJRT_Client_Create_Args, create);
  plugin.call(&PJRT_Api::PJRT_Client_Create, create, "creating a client");
  handle = create.client;
}

ClientState::~ClientState() {
  TOPOS_PJRT_STRUCT(PJRT_Client_Destroy_Args, args);
  args.client = handle;
  plugin.attempt(&PJRT_Api::PJRT_Client_Destroy, args);
}

ClientState::Sent ClientState::send(const ArrayView& array, PJRT_HostBufferSemantics semantics) const {
  static constexpr std::byte no_data{};
  TOPOS_PJRT_STRUCT(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = handle;
  args.data = array.bytes.empty() ? &no_data : array.bytes.data();
  args.type = to_pjrt(array.element);
  args.dims = array.extents.data();
  args.num_dims = array.extents.size();
  args.host_buffer_semantics = semantics;
  args.device = device;
  plugin.call(&PJRT_Api::PJRT_Client_BufferFromHostBuffer, args, "sending an array to the device");
  return {args.buffer, Event(plugin, args.done_with_host_buffer)};
}

}  // namespace detail

Client::Client(const std::filesystem::path& plugin)
    : client_(std::make_shared<detail::ClientState>(detail::Plugin::load(plugin))) {
  TOPOS_PJRT_STRUCT(PJRT_Client_AddressableDevices_Args, args);
  args.client = client_->handle;
  client_->plugin.call(&PJRT_Api::PJRT_Client_AddressableDevices, args, "listing the devices");
  if (args.num_addressable_devices == 0) {
    throw EnvironmentError(fmt::format("[pjrt] the plugin {} has no device", client_->plugin.path()));
  }
  client_->device = args.addressable_devices[0];
  client_->device_count = args.num_addressable_devices;
}

std::filesystem::path Client::default_plugin() {
  const char* chosen = std::getenv("TOPOS_PJRT_PLUGIN");
  if (chosen != nullptr && *chosen != '\0') return chosen;
#ifdef TOPOS_DEFAULT_PJRT_PLUGIN
  return TOPOS_DEFAULT_PJRT_PLUGIN;
#else
  throw EnvironmentError("[pjrt] no plugin is known: set TOPOS_PJRT_PLUGIN to the path of one");
#endif
}

std::string Client::platform() const {
  TOPOS_PJRT_STRUCT(PJRT_Client_PlatformName_Args, args);
  args.client = client_->handle;
  client_->plugin.call(&PJRT_Api::PJRT_Client_PlatformName, args, "asking for the platform");
  return {args.platform_name, args.platform_name_size};
}

std::size_t Client::device_count() const { return client_->device_count; }

std::string Client::description() const {
  return fmt::format("{}, PJRT API {}, {}", platform(), client_->plugin.version(), client_->plugin.path());
}

Executable Client::compile(std::string_view module) const {
  // CompileOptionsProto { executable_build_options { num_replicas: 1 num_partitions: 1 } }
  static constexpr std::array<char, 6> one_device{0x1a, 0x04, 0x20, 0x01, 0x28, 0x01};
  static constexpr std::string_view format = "mlir";
  TOPOS_PJRT_STRUCT(PJRT_Program, program);
  std::string code(module);  // the API takes a mutable pointer
  program.code = code.data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  TOPOS_PJRT_STRUCT(PJRT_Client_Compile_Args, args);
  args.client = client_->handle;
  args.program = &program;
  args.compile_options = one_device.data();
  args.compile_options_size = one_device.size();
  client_->plugin.call(&PJRT_Api::PJRT_Client_Compile, args, "compiling a module");
  Executable executable(client_, args.executable);
  executable.read_signature();
  return executable;
}

Buffer Client::to_device(const ArrayView& array) const {
  check_bytes(array, "array for the device");
  return Buffer(client_, client_->send(array, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall).buffer);
}

}  // namespace topos::backends::pjrt
