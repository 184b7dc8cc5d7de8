// The fuzzers' seeds, for builds without fuzzers: the good ones are read and written back, the bad ones
// refused; and so is each of them with any one byte changed.
#include <fmt/format.h>

#include "../../fuzz/properties.hpp"
#include "io/support.hpp"

namespace topos::io_tests {
namespace {

using Accepts = bool (*)(fuzz::Bytes);

template <class Visit>
void for_each_seed(const std::string& format, Visit visit) {
  int good = 0, bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOPOS_SOURCE_DIR "/fuzz/seeds/" + format)) {
    const bool is_good = entry.path().filename().string().starts_with("good_");
    (is_good ? good : bad)++;
    visit(entry.path().string(), read_file(entry.path()), is_good);
  }
  EXPECT_GE(good, 3);
  EXPECT_GE(bad, 3);
}

void expect_sorted(const std::string& format, Accepts accepts) {
  for_each_seed(format, [&](const std::string& path, const std::string& bytes, bool is_good) {
    EXPECT_EQ(accepts(bytes_of(bytes)), is_good) << path;
  });
}

void expect_no_harm(const std::string& format, Accepts accepts) {
  for_each_seed(format, [&](const std::string&, std::string bytes, bool) {
    for (char& byte : bytes) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        byte = static_cast<char>(byte ^ change);
        accepts(bytes_of(bytes));
        byte = static_cast<char>(byte ^ change);
      }
    }
  });
}

TEST(Seeds, of_safetensors_are_good_and_bad_as_they_say) {
  expect_sorted("safetensors", fuzz::accepts_safetensors);
}
TEST(Seeds, of_npy_are_good_and_bad_as_they_say) { expect_sorted("npy", fuzz::accepts_npy); }
TEST(Seeds, of_npz_are_good_and_bad_as_they_say) { expect_sorted("npz", fuzz::accepts_npz); }

TEST(Seeds, of_safetensors_do_no_harm_with_a_byte_changed) {
  expect_no_harm("safetensors", fuzz::accepts_safetensors);
}
TEST(Seeds, of_npy_do_no_harm_with_a_byte_changed) { expect_no_harm("npy", fuzz::accepts_npy); }
TEST(Seeds, of_npz_do_no_harm_with_a_byte_changed) { expect_no_harm("npz", fuzz::accepts_npz); }

}  // namespace
}  // namespace topos::io_tests
