#include "io/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "topos/base/error.hpp"

namespace topos::detail {
namespace {

// The formats are little-endian, and elements are read in place.
static_assert(std::endian::native == std::endian::little,
              "files are read and written on little-endian machines");

constexpr std::array dtypes{
    Dtype{"BOOL", 8, "b1", nullptr},      Dtype{"F4", 4, "", nullptr},
    Dtype{"F6_E2M3", 6, "", nullptr},     Dtype{"F6_E3M2", 6, "", nullptr},
    Dtype{"U8", 8, "u1", nullptr},        Dtype{"I8", 8, "i1", nullptr},
    Dtype{"F8_E5M2", 8, "", nullptr},     Dtype{"F8_E4M3", 8, "", nullptr},
    Dtype{"F8_E8M0", 8, "", nullptr},     Dtype{"F8_E4M3FNUZ", 8, "", nullptr},
    Dtype{"F8_E5M2FNUZ", 8, "", nullptr}, Dtype{"I16", 16, "i2", nullptr},
    Dtype{"U16", 16, "u2", nullptr},      Dtype{"F16", 16, "f2", from_f16},
    Dtype{"BF16", 16, "", from_bf16},     Dtype{"I32", 32, "i4", nullptr},
    Dtype{"U32", 32, "u4", nullptr},      Dtype{"F32", 32, "f4", nullptr},
    Dtype{"C64", 64, "c8", nullptr},      Dtype{"F64", 64, "f8", nullptr},
    Dtype{"I64", 64, "i8", nullptr},      Dtype{"U64", 64, "u8", nullptr},
};

constexpr const Dtype* find(std::string_view Dtype::* column, std::string_view value) {
  const auto found = std::ranges::find(dtypes, value, column);
  return value.empty() || found == dtypes.end() ? nullptr : &*found;
}

}  // namespace

constinit const Dtype& f32 = *find(&Dtype::name, "F32");
constinit const Dtype& f64 = *find(&Dtype::name, "F64");

const Dtype* find_dtype(std::string_view name) { return find(&Dtype::name, name); }
const Dtype* find_npy_dtype(std::string_view kind_and_bytes) { return find(&Dtype::npy, kind_and_bytes); }

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  const std::uint32_t fraction = bits & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: fraction 2^-24
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t widened = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

std::optional<std::uint64_t> byte_count(const Dtype& dtype, const Shape& shape) {
  std::int64_t bits = 0;
  if (__builtin_mul_overflow(shape.volume(), dtype.bits, &bits) || bits % 8 != 0) return std::nullopt;
  return static_cast<std::uint64_t>(bits / 8);
}

Shape shape_from_file(std::vector<Extent> extents) {
  try {
    return Shape(std::move(extents));
  } catch (const UsageError& error) {
    throw EnvironmentError(error.what());
  }
}

}  // namespace topos::detail
