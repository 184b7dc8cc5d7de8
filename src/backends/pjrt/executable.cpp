#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "plugin.hpp"
#include "signature.hpp"
#include "topos/backends/pjrt.hpp"
#include "topos/base/error.hpp"

namespace topos::backends::pjrt {
namespace {

/// The description of a loaded executable, while questions are asked.
class Description {
 public:
  Description(const detail::Plugin& plugin, PJRT_LoadedExecutable* executable) : plugin_(plugin) {
    TOPOS_PJRT_STRUCT(PJRT_LoadedExecutable_GetExecutable_Args, args);
    args.loaded_executable = executable;
    plugin.call(&PJRT_Api::PJRT_LoadedExecutable_GetExecutable, args, "asking for a module's signature");
    handle_ = args.executable;
  }
  ~Description() {
    TOPOS_PJRT_STRUCT(PJRT_Executable_Destroy_Args, args);
    args.executable = handle_;
    plugin_.attempt(&PJRT_Api::PJRT_Executable_Destroy, args);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  std::vector<ArrayType> result_types() const {
    TOPOS_PJRT_STRUCT(PJRT_Executable_OutputElementTypes_Args, elements);
    elements.executable = handle_;
    plugin_.call(&PJRT_Api::PJRT_Executable_OutputElementTypes, elements, "asking for the results' elements");
    TOPOS_PJRT_STRUCT(PJRT_Executable_OutputDimensions_Args, shapes);
    shapes.executable = handle_;
    plugin_.call(&PJRT_Api::PJRT_Executable_OutputDimensions, shapes, "asking for the results' extents");
    std::vector<ArrayType> types;
    const std::int64_t* extents = shapes.dims;
    for (std::size_t position = 0; position < elements.num_output_types; ++position) {
      const std::int64_t* end = extents + shapes.dim_sizes[position];
      types.push_back({detail::from_pjrt(elements.output_types[position], fmt::format("result {}", position)),
                       {extents, end}});
      extents = end;
    }
    return types;
  }

  /// Empty when the plugin has no program to show.
  std::optional<std::vector<ArrayType>> argument_types() const {
    TOPOS_PJRT_STRUCT(PJRT_Program, program);
    TOPOS_PJRT_STRUCT(PJRT_Executable_OptimizedProgram_Args, args);
    args.executable = handle_;
    args.program = &program;
    std::string code;
    try {
      // First for the size, then for the bytes.
      plugin_.call(&PJRT_Api::PJRT_Executable_OptimizedProgram, args, "asking for the optimised program");
      code.resize(program.code_size);
      program.code = code.data();
      plugin_.call(&PJRT_Api::PJRT_Executable_OptimizedProgram, args, "asking for the optimised program");
    } catch (const EnvironmentError&) {
      return std::nullopt;  // optional in the API: the plugin then checks arguments by itself
    }
    return detail::argument_types({program.format, program.format_size}, code);
  }

 private:
  const detail::Plugin& plugin_;
  PJRT_Executable* handle_ = nullptr;
};

std::string argument_text(std::size_t position) { return fmt::format("argument {}", position); }

}  // namespace

/// Arguments that lie in the caller's memory. Destruction frees the buffers and then waits until the client
/// has let go of the memory.
class Executable::Loans {
 public:
  Loans(const detail::ClientState& client, std::span<const ArrayView> arguments) : client_(client) {
    buffers_.reserve(arguments.size());
    released_.reserve(arguments.size());
    try {
      for (const ArrayView& argument : arguments) {
        auto sent = client.send(argument, PJRT_HostBufferSemantics_kImmutableZeroCopy);
        buffers_.push_back(sent.buffer);
        released_.push_back(std::move(sent.done_with_host));
      }
    } catch (...) {
      free_buffers();
      throw;
    }
  }
  ~Loans() { free_buffers(); }
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;

  std::span<PJRT_Buffer* const> buffers() const { return buffers_; }

 private:
  void free_buffers() noexcept {
    for (PJRT_Buffer* buffer : buffers_) detail::destroy(client_.plugin, buffer);
  }

  const detail::ClientState& client_;
  std::vector<detail::Event> released_;  // whose destructors wait
  std::vector<PJRT_Buffer*> buffers_;
};

Executable::Executable(std::shared_ptr<detail::ClientState> client, PJRT_LoadedExecutable* handle)
    : client_(std::move(client)), handle_(handle) {}

Executable::Executable(Executable&& other) noexcept
    : client_(std::move(other.client_)),
      handle_(std::exchange(other.handle_, nullptr)),
      argument_types_(std::move(other.argument_types_)),
      result_types_(std::move(other.result_types_)) {}

Executable& Executable::operator=(Executable&& other) noexcept {
  std::swap(client_, other.client_);
  std::swap(handle_, other.handle_);
  std::swap(argument_types_, other.argument_types_);
  std::swap(result_types_, other.result_types_);
  return *this;
}

Executable::~Executable() {
  if (handle_ == nullptr) return;
  TOPOS_PJRT_STRUCT(PJRT_LoadedExecutable_Destroy_Args, args);
  args.executable = handle_;
  client_->plugin.attempt(&PJRT_Api::PJRT_LoadedExecutable_Destroy, args);
}

void Executable::read_signature() {
  const Description description(client_->plugin, handle_);
  result_types_ = description.result_types();
  argument_types_ = description.argument_types();
}

void Executable::check_argument_count(std::size_t count) const {
  if (handle_ == nullptr) throw UsageError("[pjrt] an executable was used after it was moved from");
  if (argument_types_ && argument_types_->size() != count) {
    throw UsageError(
        fmt::format("[pjrt] the module takes {} arguments; {} are given", argument_types_->size(), count));
  }
}

std::vector<Array> Executable::run(std::span<const ArrayView> arguments) const {
  std::vector<Array> results;
  results.reserve(result_types_.size());
  for (const ArrayType& type : result_types_) results.push_back(Array::zeros(type));
  run(arguments, results);
  return results;
}

std::vector<Array> Executable::run(std::span<const Array> arguments) const { return run(views(arguments)); }

void Executable::run(std::span<const ArrayView> arguments, std::span<Array> results) const {
  check_argument_count(arguments.size());
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    if (argument_types_) {
      check_type(arguments[position], (*argument_types_)[position], argument_text(position));
    } else {
      check_bytes(arguments[position], argument_text(position));
    }
  }
  if (results.size() != result_types_.size()) {
    throw UsageError(fmt::format("[pjrt] the module has {} results; room for {} is given",
                                 result_types_.size(), results.size()));
  }
  for (std::size_t position = 0; position < results.size(); ++position) {
    check_type(results[position], result_types_[position], fmt::format("result {}", position));
  }
  const Loans loans(*client_, arguments);
  const std::vector<Buffer> buffers = launch(loans.buffers());
  std::vector<detail::Event> copies;
  copies.reserve(results.size());
  for (std::size_t position = 0; position < results.size(); ++position) {
    copies.push_back(detail::read_back(client_->plugin, buffers[position].handle(),
                                       result_types_[position].extents.size(), results[position].bytes));
  }
  for (detail::Event& copy : copies) copy.wait("running a module");
}

std::vector<Buffer> Executable::execute(std::span<const Buffer* const> arguments) const {
  check_argument_count(arguments.size());
  std::vector<PJRT_Buffer*> handles;
  handles.reserve(arguments.size());
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    const Buffer& argument = *arguments[position];
    handles.push_back(argument.handle());
    if (argument.client_ != client_) {
      throw UsageError(fmt::format("[pjrt] argument {} belongs to another client", position));
    }
    if (!argument_types_) continue;
    const ArrayType type = argument.type();
    if (type != (*argument_types_)[position]) {
      throw UsageError(fmt::format("[pjrt] argument {} is {}; the module takes {}", position, describe(type),
                                   describe((*argument_types_)[position])));
    }
  }
  return launch(handles);
}

std::vector<Buffer> Executable::execute(std::span<const Buffer> arguments) const {
  std::vector<const Buffer*> pointers;
  pointers.reserve(arguments.size());
  for (const Buffer& argument : arguments) pointers.push_back(&argument);
  return execute(pointers);
}

std::vector<Buffer> Executable::launch(std::span<PJRT_Buffer* const> arguments) const {
  std::vector<PJRT_Buffer*> handles(result_types_.size());
  // The caller keeps all arguments, also those that the module would let results overwrite.
  std::vector<std::int64_t> kept(arguments.size());
  std::iota(kept.begin(), kept.end(), 0);
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Buffer** result_list = handles.data();
  TOPOS_PJRT_STRUCT(PJRT_ExecuteOptions, options);
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();
  TOPOS_PJRT_STRUCT(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = handle_;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &result_list;
  client_->plugin.call(&PJRT_Api::PJRT_LoadedExecutable_Execute, args, "running a module");
  std::vector<Buffer> results;
  results.reserve(handles.size());
  for (PJRT_Buffer* handle : handles) results.push_back(Buffer(client_, handle));
  return results;
}

}  // namespace topos::backends::pjrt
