#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "io/npy_format.hpp"
#include "topos/base/error.hpp"

namespace topos::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// A reader of just so much Python as the header is written in.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  bool take(char expected) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }

  void expect(char expected) {
    if (!take(expected)) fail(fmt::format("'{}'", expected));
  }

  /// A quoted string without escapes.
  std::string_view string() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find_first_of("'\"\\\n", at_);
    if (end == std::string_view::npos || text_[end] != quote) fail("the end of a plain string");
    const std::string_view content = text_.substr(at_, end - at_);
    at_ = end + 1;
    return content;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("True or False");
  }

  /// (), (3,), (3, 4) or (3, 4,).
  std::vector<Extent> tuple() {
    std::vector<Extent> numbers;
    bool comma = true;
    expect('(');
    while (!take(')')) {
      if (!comma) fail("',' or ')'");
      numbers.push_back(number());
      comma = take(',');
    }
    if (numbers.size() == 1 && !comma) fail("',' after the only extent");
    return numbers;
  }

  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail("the end");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  Extent number() {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    Extent value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || rest[0] == '-' || (rest[0] == '0' && length > 1)) fail("an extent");
    at_ += length;
    return value;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw EnvironmentError(fmt::format("the header needs {} at byte {}", expected, at_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void read_descr(std::string_view descr, NpyHeader& header) {
  const std::string_view kind = descr.substr(descr.empty() ? 0 : 1);
  header.dtype = find_npy_dtype(kind);
  const bool one_byte = header.dtype != nullptr && header.dtype->bits == 8;
  if (header.dtype == nullptr || !(one_byte ? descr[0] == '|' : descr[0] == '<' || descr[0] == '>')) {
    throw EnvironmentError(fmt::format("elements of type '{}' are not read; '<f4' and '<f8' are", descr));
  }
  header.big_endian = descr[0] == '>';
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text) {
  NpyHeader header;
  LiteralReader reader(text);
  bool descr = false, order = false, shape = false;
  const auto once = [](bool& seen, std::string_view key) {
    if (seen) throw EnvironmentError(fmt::format("the header has '{}' twice", key));
    seen = true;
  };
  reader.expect('{');
  for (bool comma = true; !reader.take('}'); comma = reader.take(',')) {
    if (!comma) reader.expect(',');
    const std::string_view key = reader.string();
    reader.expect(':');
    if (key == "descr") {
      once(descr, key);
      read_descr(reader.string(), header);
    } else if (key == "fortran_order") {
      once(order, key);
      header.fortran_order = reader.boolean();
    } else if (key == "shape") {
      once(shape, key);
      header.shape = shape_from_file(reader.tuple());
    } else {
      throw EnvironmentError(fmt::format("the header has an unknown key '{}'", key));
    }
  }
  reader.expect_end();
  if (!descr || !order || !shape) throw EnvironmentError("the header lacks descr, fortran_order or shape");
  if (header.shape.rank() > most_npy_axes) {
    throw EnvironmentError(
        fmt::format("{} axes are more than NumPy's {}", header.shape.rank(), most_npy_axes));
  }
  return header;
}

std::string format_npy_header(const StoredTensor& tensor) {
  const Dtype& dtype = *find_dtype(tensor.dtype());
  const Shape& shape = tensor.shape();
  if (dtype.npy.empty()) throw UsageError(fmt::format("NumPy has no {} elements", dtype.name));
  if (shape.rank() > most_npy_axes) {
    throw UsageError(fmt::format("{} axes are more than NumPy's {}", shape.rank(), most_npy_axes));
  }
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 dtype.bits == 8 ? '|' : '<', dtype.npy, fmt::join(shape.extents(), ", "),
                                 shape.rank() == 1 ? "," : "");
  const std::size_t before = magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');  // the elements begin at a multiple of 64
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  return header + text;
}

}  // namespace topos::detail
