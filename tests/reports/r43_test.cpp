// R43: safetensors files that are damaged or hostile are refused by name, and unaligned data is read.
#include <gtest/gtest.h>

#include <cstring>

#include "io/support.hpp"
#include "topos/io/safetensors.hpp"

namespace topos {
namespace {

using io_tests::with_header;

class HostileFiles : public io_tests::Files {
 protected:
  /// What loading this file says.
  std::string refusal(const std::string& bytes) {
    const std::string file = path("hostile.safetensors");
    write_file(file, bytes);
    const std::string message = backends::failure_of([&] { load_checkpoint(file); });
    EXPECT_NE(message.find("hostile.safetensors"), std::string::npos) << message;
    return message;
  }
  void expect_refused(const std::string& json, std::size_t data, std::string_view named = "tensor 'x'") {
    const std::string message = refusal(with_header(json, data));
    EXPECT_NE(message.find(named), std::string::npos) << json << "\n" << message;
  }
  static std::string length_only(std::uint64_t length, std::size_t rest) {
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes.append(rest, '{');
  }
};

TEST_F(HostileFiles, whose_header_length_lies_are_refused) {
  for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{100000001}}) {
    EXPECT_NE(refusal(length_only(length, 64)), "") << length;
  }
  EXPECT_NE(refusal("12345"), "");
  EXPECT_NE(refusal(""), "");
}

TEST_F(HostileFiles, whose_ranges_lie_are_refused) {
  expect_refused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7, "the file has 7");  // cut
  expect_refused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9, "");      // one byte more
  expect_refused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8);          // end first
  expect_refused(R"({"x":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}})", 4);  // too small
  expect_refused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4.0]}})", 4,
                 "'data_offsets'");  // not a count
  expect_refused(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0);
  expect_refused(R"({"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0);
  expect_refused(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "'shape'");
  expect_refused(R"({"x":{"dtype":"Q4_0","shape":[1],"data_offsets":[0,4]}})", 4);
}

TEST_F(HostileFiles, whose_tensors_overlap_or_leave_holes_are_refused) {
  const auto two = [](const char* first, const char* second) {
    return fmt::format(R"({{"y":{{"dtype":"F32","shape":[1],"data_offsets":{}}},)"
                       R"("x":{{"dtype":"F32","shape":[1],"data_offsets":{}}}}})",
                       first, second);
  };
  expect_refused(two("[0,4]", "[2,6]"), 6, "");
  expect_refused(two("[0,4]", "[0,4]"), 4, "");
  expect_refused(two("[0,4]", "[8,12]"), 12, "");
  expect_refused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                 R"("x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                 4);
}

TEST_F(HostileFiles, whose_json_is_not_a_header_are_refused) {
  expect_refused("{\"\xFF\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "");
  expect_refused(R"({"__metadata__":{"step":1}})", 0, "");
  expect_refused(std::string(100000, '['), 0, "");
  expect_refused(R"({"x":)" + std::string(100000, '{') + "}", 0, "");
}

TEST_F(HostileFiles, that_are_only_unusual_load) {
  const Checkpoint scalar = parse_safetensors(
      io_tests::bytes_of(with_header(R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                                     R"("e":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]}})",
                                     4)));
  EXPECT_EQ(scalar.of("s").shape(), Shape());
  EXPECT_EQ(scalar.of("e").shape(), Shape({0, 3}));
  for (std::size_t blanks = 0; blanks < 8; ++blanks) {  // header lengths of every remainder by 8
    const std::string json = R"({"f":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]}})" +
                             std::string(blanks, ' ');
    std::string file = with_header(json);
    const float number = 1.5f;
    const std::uint16_t half = 0x3FC0;
    file.append(reinterpret_cast<const char*>(&number), 4).append(reinterpret_cast<const char*>(&half), 2);
    const Checkpoint loaded = parse_safetensors(io_tests::bytes_of(file));
    EXPECT_EQ(loaded.of("f").as<float>().item(), 1.5f);
    EXPECT_EQ(loaded.of("b").as<float>().elements()[0], 1.5f);
  }
}

}  // namespace
}  // namespace topos
