#include "topos/io/npz.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "io/npy_format.hpp"
#include "topos/base/error.hpp"
#include "topos/base/file.hpp"

namespace topos {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t longest_name = 65'535;
constexpr std::size_t smallest_archive = 22;  // the end of a directory, which is all an empty archive has
constexpr std::uint64_t largest_deflate_ratio = 1032;  // a bit of input repeats at most 258 bytes, twice
constexpr zip_uint16_t first_of_january_1980 = 1 << 5 | 1;

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Source = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

[[noreturn]] void fail(std::string_view doing, const char* reason) {
  throw EnvironmentError(fmt::format("cannot {}: {}", doing, reason));
}

/// An archive over a source, which stays the caller's.
Archive open_archive(const Source& source, int flags) {
  ZipError error;
  zip_source_keep(source.get());
  Archive archive(zip_open_from_source(source.get(), flags, error.get()), &zip_discard);
  if (archive == nullptr) {
    zip_source_free(source.get());
    fail("open it as a zip archive", error.text().c_str());
  }
  return archive;
}

/// Throws unless the member's sizes are possible; `budget` is what is left of the archive for compressed
/// bytes, so that members cannot share them.
void check_sizes(const zip_stat_t& member, std::uint64_t& budget) {
  constexpr zip_uint64_t wanted =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((member.valid & wanted) != wanted) throw EnvironmentError("its directory entry is not complete");
  if (member.encryption_method != ZIP_EM_NONE) throw EnvironmentError("it is encrypted");
  const bool stored = member.comp_method == ZIP_CM_STORE;
  if (!stored && member.comp_method != ZIP_CM_DEFLATE) {
    throw EnvironmentError(
        fmt::format("compression method {} is neither stored nor deflated", member.comp_method));
  }
  if (member.comp_size > budget) throw EnvironmentError("the archive is too short for its compressed bytes");
  budget -= member.comp_size;
  if (stored ? member.size != member.comp_size : member.size / largest_deflate_ratio > member.comp_size) {
    throw EnvironmentError(
        fmt::format("{} compressed bytes cannot hold its {}", member.comp_size, member.size));
  }
}

StoredTensor read_member(zip_t* archive, zip_uint64_t index, std::uint64_t size) {
  const Member member(zip_fopen_index(archive, index, 0), &zip_fclose);
  if (member == nullptr) fail("open it", zip_strerror(archive));
  const auto next = [&](std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const zip_int64_t count = zip_fread(member.get(), bytes.data(), bytes.size());
      if (count < 0) fail("read it", zip_file_strerror(member.get()));
      if (count == 0) throw EnvironmentError("it ends before its size");
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  };
  StoredTensor tensor = detail::read_npy(size, next);
  std::byte more{};  // reading past the end is what compares the checksum
  const zip_int64_t count = zip_fread(member.get(), &more, 1);
  if (count < 0) fail("read it", zip_file_strerror(member.get()));
  if (count > 0) throw EnvironmentError("it goes on after its size");
  return tensor;
}

void add_member(zip_t* archive, const std::string& name, std::span<const zip_buffer_fragment_t> pieces,
                Compression compression) {
  const auto require = [&](bool done) {
    if (!done) fail("make a zip archive", zip_strerror(archive));
  };
  zip_source_t* const source = zip_source_buffer_fragment(archive, pieces.data(), pieces.size(), 0);
  require(source != nullptr);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    throw UsageError(
        fmt::format("a name of {} bytes cannot be a zip member's: {}", name.size(), zip_strerror(archive)));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_int32_t method = compression == Compression::stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
  require(zip_set_file_compression(archive, at, method, 0) == 0);
  require(zip_file_set_dostime(archive, at, 0, first_of_january_1980, 0) == 0);
}

}  // namespace

Checkpoint parse_npz(std::span<const std::byte> file) {
  // libzip takes no bytes for an archive without members, and writes such an archive as no bytes.
  if (file.size() < smallest_archive) {
    throw EnvironmentError(fmt::format("{} bytes are too few for a zip archive", file.size()));
  }
  ZipError error;
  const Source source(zip_source_buffer_create(file.data(), file.size(), 0, error.get()), &zip_source_free);
  if (source == nullptr) fail("open it as a zip archive", error.text().c_str());
  const Archive archive = open_archive(source, ZIP_RDONLY | ZIP_CHECKCONS);
  Checkpoint checkpoint;
  std::uint64_t budget = file.size();
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t member;
    if (zip_stat_index(archive.get(), i, 0, &member) != 0)
      fail("read its directory", zip_strerror(archive.get()));
    std::string name = member.name;
    try {
      if (!name.ends_with(suffix)) throw EnvironmentError("it is not an .npy array");
      check_sizes(member, budget);
      name.resize(name.size() - suffix.size());
      if (checkpoint.has(name)) throw EnvironmentError("it is there twice");
      checkpoint.add(name, read_member(archive.get(), i, member.size));
    } catch (const EnvironmentError& failure) {
      throw EnvironmentError(fmt::format("member '{:.200}': {}", member.name, failure.what()));
    }
  }
  return checkpoint;
}

Checkpoint load_npz(const std::string& path) {
  const FileReader file(path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.size()));
  file.read(0, bytes);
  try {
    return parse_npz(bytes);
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{} is not a whole npz file: {}", path, error.what()));
  }
}

std::string format_npz(const Checkpoint& checkpoint, Compression compression) {
  if (!checkpoint.metadata.empty()) {
    throw UsageError("an npz archive has no place for metadata: clear it, or save a safetensors file");
  }
  if (checkpoint.entries().empty()) return "PK\x05\x06" + std::string(smallest_archive - 4, '\0');
  ZipError error;
  const Source source(zip_source_buffer_create(nullptr, 0, 0, error.get()), &zip_source_free);
  if (source == nullptr) fail("make a zip archive", error.text().c_str());
  Archive archive = open_archive(source, ZIP_CREATE | ZIP_TRUNCATE);
  std::vector<std::string> headers(checkpoint.entries().size());  // read when the archive is closed
  std::vector<StoredBytes> elements;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto& [name, tensor] = checkpoint.entries()[i];
    if (name.find('\0') != std::string::npos ||
        name.size() + suffix.size() > longest_name) {  // libzip would cut it
      throw UsageError(
          fmt::format("a name of {} bytes, or with a null byte, cannot be a zip member's", name.size()));
    }
    headers[i] = detail::format_npy_header(tensor);
    elements.push_back(tensor.bytes());
    // libzip's type is for sources that may be written, too.
    const auto writable = [](const void* data) { return static_cast<zip_uint8_t*>(const_cast<void*>(data)); };
    const std::array<zip_buffer_fragment_t, 2> pieces{
        {{writable(headers[i].data()), headers[i].size()},
         {writable(elements[i].span.data()), elements[i].span.size()}}};
    add_member(archive.get(), name + std::string(suffix), pieces, compression);
  }
  zip_t* const written = archive.release();  // closing frees it, unless it fails
  if (zip_close(written) != 0) {
    const Archive failed(written, &zip_discard);
    fail("make a zip archive", zip_strerror(written));
  }

  zip_stat_t whole;
  zip_stat_init(&whole);
  if (zip_source_stat(source.get(), &whole) != 0 || zip_source_open(source.get()) != 0) {
    fail("read the new archive", zip_error_strerror(zip_source_error(source.get())));
  }
  std::string file(static_cast<std::size_t>(whole.size), '\0');
  const zip_int64_t count = zip_source_read(source.get(), file.data(), file.size());
  zip_source_close(source.get());
  if (count != static_cast<zip_int64_t>(file.size())) throw InternalError("libzip wrote less than it says");
  return file;
}

void save_npz(const std::string& path, const Checkpoint& checkpoint, Compression compression) {
  write_file(path, format_npz(checkpoint, compression));
}

}  // namespace topos
