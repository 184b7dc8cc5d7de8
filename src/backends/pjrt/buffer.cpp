#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "plugin.hpp"
#include "topos/backends/pjrt.hpp"
#include "topos/base/error.hpp"

namespace topos::backends::pjrt {

namespace detail {
namespace {

/// True when the buffer's memory is the host's and holds the elements densely in row-major order.
bool lies_on_host(const Plugin& plugin, PJRT_Buffer* buffer, std::size_t rank) {
  TOPOS_PJRT_STRUCT(PJRT_Buffer_IsOnCpu_Args, place);
  place.buffer = buffer;
  if (!plugin.attempt(&PJRT_Api::PJRT_Buffer_IsOnCpu, place) || !place.is_on_cpu) return false;
  TOPOS_PJRT_STRUCT(PJRT_Buffer_GetMemoryLayout_Args, args);
  args.buffer = buffer;
  if (!plugin.attempt(&PJRT_Api::PJRT_Buffer_GetMemoryLayout, args)) return false;
  if (args.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return false;
  const PJRT_Buffer_MemoryLayout_Tiled& layout = args.layout.tiled;
  if (layout.num_tiles != 0 || layout.minor_to_major_size != rank) return false;
  for (std::size_t place_in_memory = 0; place_in_memory < rank; ++place_in_memory) {
    if (layout.minor_to_major[place_in_memory] != static_cast<std::int64_t>(rank - 1 - place_in_memory))
      return false;
  }
  return true;
}

/// Keeps a plugin from moving or freeing a buffer's memory while it is read.
class Hold {
 public:
  Hold(const Plugin& plugin, PJRT_Buffer* buffer) : plugin_(plugin), buffer_(buffer) {
    TOPOS_PJRT_STRUCT(PJRT_Buffer_IncreaseExternalReferenceCount_Args, args);
    args.buffer = buffer;
    held_ = plugin.attempt(&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount, args);
  }
  ~Hold() {
    if (!held_) return;
    TOPOS_PJRT_STRUCT(PJRT_Buffer_DecreaseExternalReferenceCount_Args, args);
    args.buffer = buffer_;
    plugin_.attempt(&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount, args);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  /// Null when there is no hold to be had.
  const void* memory() const {
    if (!held_) return nullptr;
    TOPOS_PJRT_STRUCT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, args);
    args.buffer = buffer_;
    return plugin_.attempt(&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args)
               ? args.device_memory_ptr
               : nullptr;
  }

 private:
  const Plugin& plugin_;
  PJRT_Buffer* buffer_;
  bool held_ = false;
};

Event copy_to_host(const Plugin& plugin, PJRT_Buffer* buffer, std::size_t rank, std::span<std::byte> target) {
  // Without a layout the copy would keep the device's, which a plugin may choose.
  std::vector<std::int64_t> minor_to_major(rank);
  std::iota(minor_to_major.rbegin(), minor_to_major.rend(), 0);
  TOPOS_PJRT_STRUCT(PJRT_Buffer_MemoryLayout, row_major);
  row_major.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  row_major.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  row_major.tiled.minor_to_major = minor_to_major.data();
  row_major.tiled.minor_to_major_size = rank;
  TOPOS_PJRT_STRUCT(PJRT_Buffer_ToHostBuffer_Args, args);
  args.src = buffer;
  args.host_layout = &row_major;
  args.dst = target.data();
  args.dst_size = target.size();
  plugin.call(&PJRT_Api::PJRT_Buffer_ToHostBuffer, args, "reading an array back");
  return Event(plugin, args.event);
}

}  // namespace

void destroy(const Plugin& plugin, PJRT_Buffer* buffer) noexcept {
  if (buffer == nullptr) return;
  TOPOS_PJRT_STRUCT(PJRT_Buffer_Destroy_Args, args);
  args.buffer = buffer;
  plugin.attempt(&PJRT_Api::PJRT_Buffer_Destroy, args);
}

void wait_for_contents(const Plugin& plugin, PJRT_Buffer* buffer) {
  TOPOS_PJRT_STRUCT(PJRT_Buffer_ReadyEvent_Args, args);
  args.buffer = buffer;
  plugin.call(&PJRT_Api::PJRT_Buffer_ReadyEvent, args, "asking when an array is ready");
  Event(plugin, args.event).wait("computing an array");
}

Event read_back(const Plugin& plugin, PJRT_Buffer* buffer, std::size_t rank, std::span<std::byte> target) {
  // Nothing to copy, and a null target would ask for the size instead; but a failed run is reported.
  if (target.empty()) {
    wait_for_contents(plugin, buffer);
    return Event(plugin, nullptr);
  }
  if (!lies_on_host(plugin, buffer, rank)) return copy_to_host(plugin, buffer, rank, target);
  // XLA's CPU client passes its own copy through other threads, which takes longer than a small step itself.
  wait_for_contents(plugin, buffer);
  const Hold hold(plugin, buffer);
  const void* memory = hold.memory();
  if (memory == nullptr) return copy_to_host(plugin, buffer, rank, target);
  std::memcpy(target.data(), memory, target.size());
  return Event(plugin, nullptr);
}

}  // namespace detail

Buffer::Buffer(std::shared_ptr<detail::ClientState> client, PJRT_Buffer* handle)
    : client_(std::move(client)), handle_(handle) {}

Buffer::Buffer(Buffer&& other) noexcept
    : client_(std::move(other.client_)), handle_(std::exchange(other.handle_, nullptr)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(client_, other.client_);
  std::swap(handle_, other.handle_);
  return *this;
}

Buffer::~Buffer() {
  if (client_) detail::destroy(client_->plugin, handle_);
}

PJRT_Buffer* Buffer::handle() const {
  if (handle_ == nullptr) throw UsageError("[pjrt] a buffer was used after it was moved from");
  return handle_;
}

ArrayType Buffer::type() const {
  TOPOS_PJRT_STRUCT(PJRT_Buffer_ElementType_Args, element);
  element.buffer = handle();
  client_->plugin.call(&PJRT_Api::PJRT_Buffer_ElementType, element, "asking for a buffer's element type");
  TOPOS_PJRT_STRUCT(PJRT_Buffer_Dimensions_Args, extents);
  extents.buffer = handle_;
  client_->plugin.call(&PJRT_Api::PJRT_Buffer_Dimensions, extents, "asking for a buffer's extents");
  return {detail::from_pjrt(element.type, "a buffer"), {extents.dims, extents.dims + extents.num_dims}};
}

void Buffer::wait() const {
  PJRT_Buffer* const buffer = handle();  // first, since a moved-from buffer has no client either
  detail::wait_for_contents(client_->plugin, buffer);
}

Array Buffer::to_host() const {
  Array array = Array::zeros(type());
  to_host(array.bytes);
  return array;
}

void Buffer::to_host(std::span<std::byte> target) const {
  const ArrayType array = type();
  if (target.size() != array.byte_count()) {
    throw UsageError(fmt::format("[pjrt] {} takes {} bytes on the host; room for {} is given",
                                 describe(array), array.byte_count(), target.size()));
  }
  detail::read_back(client_->plugin, handle_, array.extents.size(), target).wait("reading an array back");
}

}  // namespace topos::backends::pjrt
