// NumPy's archives: named arrays in, no more memory than the archive can account for.
#include "topos/io/npz.hpp"

#include <gmock/gmock.h>
#include <zip.h>

#include "io/support.hpp"
#include "topos/io/npy.hpp"

namespace topos::io_tests {
namespace {

using ::testing::HasSubstr;

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.add("weights", Tensor<float>({2, 2}, {1, -0.0f, INFINITY, NAN}));
  checkpoint.add("optimizer.first.0.bias", Tensor<double>::filled({1000}, 0.1));
  checkpoint.add("none", Tensor<float>({0}, {}));
  checkpoint.add("\u00fcber/x", Tensor<double>(1));
  return checkpoint;
}
std::string refusal(std::string_view file) {
  return failure_of([&] { parse_npz(bytes_of(file)); });
}

/// An archive of any members.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members, zip_int32_t method) {
  zip_error_t error;
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(source);
  zip_t* archive = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  for (const auto& [name, content] : members) {
    zip_source_t* piece = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), piece, 0);
    EXPECT_GE(index, 0);
    EXPECT_EQ(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0), 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  zip_stat_t whole;
  zip_source_stat(source, &whole);
  std::string file(whole.size, '\0');
  zip_source_open(source);
  zip_source_read(source, file.data(), file.size());
  zip_source_close(source);
  zip_source_free(source);
  return file;
}

/// `file` with the four bytes of a number replaced wherever they are.
std::string with_number(std::string file, std::uint32_t from, std::uint32_t to) {
  std::string old_bytes(4, '\0'), new_bytes(4, '\0');
  std::memcpy(old_bytes.data(), &from, 4);
  std::memcpy(new_bytes.data(), &to, 4);
  std::size_t found = 0;
  for (std::size_t at = file.find(old_bytes); at != std::string::npos;
       at = file.find(old_bytes, at + 4), ++found) {
    file.replace(at, 4, new_bytes);
  }
  EXPECT_EQ(found, 2u) << "the local header's and the directory's";
  return file;
}

TEST(Npz, reads_what_it_writes_stored_and_deflated) {
  for (const Compression compression : {Compression::stored, Compression::deflated}) {
    EXPECT_TRUE(same(parse_npz(bytes_of(format_npz(sample(), compression))), sample()));
    EXPECT_TRUE(same(parse_npz(bytes_of(format_npz(Checkpoint(), compression))), Checkpoint()));
    EXPECT_EQ(format_npz(sample(), compression), format_npz(sample(), compression))
        << "the same bytes each time";
  }
  EXPECT_LT(format_npz(sample(), Compression::deflated).size() + 7000, format_npz(sample()).size());
}

TEST(Npz, refuses_members_that_are_no_arrays) {
  const std::string array = format_npy(Tensor<float>(1));
  EXPECT_THAT(refusal(archive_of({{"a.txt", array}}, ZIP_CM_STORE)),
              HasSubstr("'a.txt': it is not an .npy array"));
  EXPECT_THAT(refusal(archive_of({{"a.npy", "text text text"}}, ZIP_CM_STORE)),
              HasSubstr("'a.npy': it does not begin with"));
  EXPECT_THAT(refusal(archive_of({{"a.npy", array + "x"}}, ZIP_CM_DEFLATE)),
              HasSubstr("bytes of elements are not"));
  EXPECT_THAT(refusal(archive_of({{"a.npy", array}}, ZIP_CM_BZIP2)),
              HasSubstr("compression method 12 is neither stored nor deflated"));
}

TEST(Npz, refuses_sizes_that_the_compressed_bytes_cannot_have) {
  const std::string array = format_npy(Tensor<float>::filled({5000}, 1));
  const auto size = static_cast<std::uint32_t>(array.size());
  // Both say 4 GB: the array's header and the member's size.
  std::string bomb = array;
  bomb.replace(bomb.find("(5000,)"), 13, "(1000000000,)");
  const std::string deflated =
      with_number(archive_of({{"a.npy", bomb}}, ZIP_CM_DEFLATE), size, 4'000'000'128u);
  EXPECT_THAT(refusal(deflated), HasSubstr("compressed bytes cannot hold its 4000000128"));
  // What deflate could hold, and the member does not.
  EXPECT_THAT(refusal(with_number(archive_of({{"a.npy", array}}, ZIP_CM_DEFLATE), size, size + 4000)),
              HasSubstr("bytes of elements are not what shape [5000] of F32 takes"));
  std::string longer = array;
  longer.replace(longer.find("(5000,)"), 7, "(6000,)");
  EXPECT_THAT(refusal(with_number(archive_of({{"a.npy", longer}}, ZIP_CM_DEFLATE), size, size + 4000)),
              HasSubstr("'a.npy': it ends before its size"));
  std::string shorter = array;
  shorter.replace(shorter.find("(5000,)"), 7, "(4000,)");
  EXPECT_THAT(refusal(with_number(archive_of({{"a.npy", shorter}}, ZIP_CM_DEFLATE), size, size - 4000)),
              HasSubstr("'a.npy': it goes on after its size"));
}

TEST(Npz, refuses_changed_elements_by_the_checksum) {
  std::string file = format_npz(sample());
  file[file.find("NUMPY") + 130] ^= 1;
  EXPECT_THAT(refusal(file), HasSubstr("'weights.npy': cannot read it: CRC error"));
}

TEST(Npz, refuses_every_shorter_file) {
  const std::string file = format_npz(sample(), Compression::deflated);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "no EnvironmentError") << size;
  }
}

TEST(Npz, has_no_place_for_metadata_and_for_names_that_zip_cannot_hold) {
  Checkpoint with_metadata = sample();
  with_metadata.metadata["step"] = "1";
  EXPECT_THAT(misuse_of([&] { format_npz(with_metadata); }), HasSubstr("no place for metadata"));
  const auto misuse_of_name = [](const std::string& name) {
    Checkpoint checkpoint;
    checkpoint.add(name, Tensor<float>(1));
    return misuse_of([&] { format_npz(checkpoint); });
  };
  EXPECT_THAT(misuse_of_name(std::string("a\0b", 3)), HasSubstr("null byte"));
  EXPECT_THAT(misuse_of_name("\xFF"), HasSubstr("a name of 5 bytes cannot be a zip member's"));
  EXPECT_THAT(misuse_of_name(std::string(70'000, 'a')), HasSubstr("a name of 70000 bytes, or"));
}

}  // namespace
}  // namespace topos::io_tests
