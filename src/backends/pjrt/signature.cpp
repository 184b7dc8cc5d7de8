// The C API tells a module's results but not its arguments. The optimised program has them, as a protocol
// buffer of which four nested fields matter; field numbers are those of xla/service/hlo.proto and
// xla/xla_data.proto.
#include "signature.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "topos/base/error.hpp"

namespace topos::backends::pjrt::detail {
namespace {

constexpr std::uint64_t module_of_module_with_config = 1;  // HloModuleProtoWithConfig.hlo_module
constexpr std::uint64_t shape_of_module = 4;               // HloModuleProto.host_program_shape
constexpr std::uint64_t parameter_of_shape = 1;            // ProgramShapeProto.parameters
constexpr std::uint64_t element_of_parameter = 2;          // ShapeProto.element_type
constexpr std::uint64_t extent_of_parameter = 3;           // ShapeProto.dimensions

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;                // of a varint
  std::optional<std::string_view> bytes;  // of anything that says its length
};

/// Walks the fields of one message.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  /// The next field; empty at the end and, with ok() false, where the bytes are no message.
  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const auto tag = varint();
    if (!tag) return std::nullopt;
    Field field{*tag >> 3, 0, std::nullopt};
    switch (*tag & 7) {
      case 0:
        field.value = varint().value_or(0);
        break;
      case 1:
        take(8);
        break;
      case 2:
        field.bytes = take(varint().value_or(0));
        break;
      case 5:
        take(4);
        break;
      default:
        ok_ = false;
    }
    if (!ok_) return std::nullopt;
    return field;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return std::nullopt;
  }

  bool empty() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

/// The first field of this number that is a message of its own.
std::optional<std::string_view> submessage(std::string_view message, std::uint64_t number) {
  Message fields(message);
  while (const auto field = fields.next()) {
    if (field->number == number && field->bytes) return field->bytes;
  }
  return std::nullopt;
}

/// xla.PrimitiveType, which numbers the elements in another way than PJRT_Buffer_Type.
ArrayElement element_of_primitive_type(std::uint64_t type, std::size_t position) {
  switch (type) {
    case 1:
      return ArrayElement::i1;
    case 4:
      return ArrayElement::i32;
    case 5:
      return ArrayElement::i64;
    case 11:
      return ArrayElement::f32;
    case 12:
      return ArrayElement::f64;
    case 16:
      return ArrayElement::bf16;
    default:
      throw EnvironmentError(
          fmt::format("[pjrt] argument {} of the module has an element type (xla.PrimitiveType {}) that no "
                      "array holds; convert it "
                      "to f32, f64, bf16, i1, i32 or i64",
                      position, type));
  }
}

std::optional<ArrayType> argument_type(std::string_view shape, std::size_t position) {
  std::uint64_t element = 0;
  ArrayType type;
  Message fields(shape);
  while (const auto field = fields.next()) {
    if (field->number == element_of_parameter) element = field->value;
    if (field->number != extent_of_parameter) continue;
    if (!field->bytes) {
      type.extents.push_back(static_cast<std::int64_t>(field->value));
      continue;
    }
    Message packed(*field->bytes);
    while (!packed.empty()) {
      const auto extent = packed.varint();
      if (!extent) return std::nullopt;
      type.extents.push_back(static_cast<std::int64_t>(*extent));
    }
  }
  if (!fields.ok()) return std::nullopt;
  type.element = element_of_primitive_type(element, position);
  return type;
}

}  // namespace

std::optional<std::vector<ArrayType>> argument_types(std::string_view format, std::string_view program) {
  std::optional<std::string_view> module;
  if (format == "hlo") module = program;
  if (format == "hlo_with_config") module = submessage(program, module_of_module_with_config);
  if (!module) return std::nullopt;
  const auto shape = submessage(*module, shape_of_module);
  if (!shape) return std::nullopt;
  std::vector<ArrayType> types;
  Message fields(*shape);
  while (const auto field = fields.next()) {
    if (field->number != parameter_of_shape || !field->bytes) continue;
    auto type = argument_type(*field->bytes, types.size());
    if (!type) return std::nullopt;
    types.push_back(std::move(*type));
  }
  if (!fields.ok()) return std::nullopt;
  return types;
}

}  // namespace topos::backends::pjrt::detail
