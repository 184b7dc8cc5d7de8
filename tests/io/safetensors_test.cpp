// The safetensors format: what is written is read, by us and by others, and nothing else is.
#include "topos/io/safetensors.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

#include "io/support.hpp"

namespace topos::io_tests {
namespace {

using ::testing::HasSubstr;

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.add("b", Tensor<float>({2, 3}, {1, -0.0f, std::numeric_limits<float>::denorm_min(), INFINITY,
                                             -std::numeric_limits<float>::max(), NAN}));
  checkpoint.add("a", Tensor<double>(0.1));
  checkpoint.add("none", Tensor<float>({0, 4}, {}));
  checkpoint.add("one \"quoted\" \\ \n \u00e9", Tensor<float>::filled({3}, 7));
  const std::vector<std::uint8_t> bytes{1, 0, 1};
  checkpoint.add("flags", StoredTensor("BOOL", Shape({3}), std::as_bytes(std::span(bytes))));
  checkpoint.add("optimizer.step", Tensor<double>(12.0));
  checkpoint.metadata = {{"step", "12"}, {"note", "tab\tand \u00fc"}};
  return checkpoint;
}

TEST(Safetensors, reads_what_it_writes_in_the_same_order_and_bits) {
  EXPECT_TRUE(same(parse_safetensors(bytes_of(format_safetensors(sample()))), sample()));
  EXPECT_TRUE(same(parse_safetensors(bytes_of(format_safetensors(Checkpoint()))), Checkpoint()));
}

TEST(Safetensors, writes_the_same_bytes_for_the_same_checkpoint) {
  EXPECT_EQ(format_safetensors(sample()), format_safetensors(sample()));
}

TEST(Safetensors, writes_this_file) {
  Checkpoint checkpoint;
  checkpoint.add("w", Tensor<float>({2}, {1, 2}));
  checkpoint.add("x", Tensor<double>(1));
  checkpoint.metadata["k"] = "v";
  const std::string json =
      R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
      R"("x":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}    )";
  ASSERT_EQ(json.size() % 8, 0u);
  const double one = 1;
  const float pair[]{1, 2};
  std::string expected = with_header(json, 16);
  std::memcpy(expected.data() + 8 + json.size(), &one, 8);
  std::memcpy(expected.data() + 16 + json.size(), pair, 8);
  EXPECT_EQ(format_safetensors(checkpoint), expected);
}

// data/reference.safetensors is by data/make_reference.py, with the Python package safetensors 0.8.0.
TEST(Safetensors, reads_a_file_of_the_reference_implementation) {
  const Checkpoint read = load_checkpoint(TOPOS_SOURCE_DIR "/tests/io/data/reference.safetensors");
  EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"format", "pt"}, {"step", "7"}}));
  EXPECT_EQ(read.entries().size(), 9u);
  EXPECT_EQ(describe(read.tensor<float>("f32")), "[[0, 0.5, 1], [1.5, 2, 2.5]]");
  EXPECT_EQ(describe(read.tensor<double>("f64")), "[0.1, -0]");
  EXPECT_EQ(describe(read.tensor<float>("f16")), "[1, -2.5, 0.000000059604645]");
  EXPECT_EQ(describe(read.tensor<float>("bf16")), "[1, -2.5, 3.140625]");
  EXPECT_EQ(read.tensor<float>("scalar").item(), 3.0f);
  EXPECT_EQ(read.of("scalar").shape(), Shape());
  EXPECT_EQ(read.of("empty").shape(), Shape({0, 2}));
  EXPECT_EQ(read.of("i64").dtype(), "I64");
  EXPECT_EQ(read.of("flags").dtype(), "BOOL");
  EXPECT_EQ(read.of("i64").bytes().span.size(), 16u);
  EXPECT_EQ(misuse_of([&] { read.tensor<float>("i64"); }),
            "tensor 'i64' holds I64 elements of shape [2], which are not read as floats: use its bytes");
}

struct Refused {
  std::string_view json;
  std::size_t data_size;
  std::string_view reason;
};

const Refused refused[]{
    {"", 0, "does not begin with '{'"},
    {" {}", 0, "does not begin with '{'"},
    {"\xEF\xBB\xBF{}", 0, "does not begin with '{'"},
    {"[]", 0, "does not begin with '{'"},
    {"{", 0, "not JSON at byte"},
    {"{}}", 0, "not JSON at byte"},
    {"{} x", 0, "not JSON at byte"},
    {std::string_view("{}\0rest", 7), 0, "has a null byte"},
    {"{\"\xFF\":1}", 0, "not JSON at byte"},
    {"{/**/}", 0, "not JSON at byte"},
    {"{\"a\":1e999}", 0, "not JSON at byte"},
    {"{}", 1, "the tensors need 0 bytes; the file has 1"},
    {R"({"a":1})", 0, "a number where none belongs, after 'a'"},
    {R"({"a":null})", 0, "null where none belongs"},
    {R"({"a":[]})", 0, "an array where none belongs"},
    {R"({"a":{}})", 0, "'a' lacks a dtype, shape or data_offsets"},
    {R"({"a":{"dtype":"F32","shape":[1]}})", 0, "'a' lacks"},
    {R"({"a":{"dtype":{"x":{}},"shape":[1]}})", 0, "an object where none belongs"},
    {R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4, "two fields 'dtype'"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"extra":0}})", 4, "an unknown field 'extra'"},
    {R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})", 4, "'a' has the unknown dtype 'f32'"},
    {R"({"a":{"dtype":5,"shape":[1],"data_offsets":[0,4]}})", 4,
     "a number where none belongs, after 'dtype'"},
    {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4,
     "a number where none belongs, after 'shape'"},
    {R"({"a":{"dtype":"F32","shape":"1","data_offsets":[0,4]}})", 4, "a string where none belongs"},
    {R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})", 4, "an array where none belongs"},
    {R"({"a":{"dtype":"F32","shape":[true],"data_offsets":[0,4]}})", 4, "a boolean where none belongs"},
    {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "a negative number"},
    {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "not a whole one"},
    {R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})", 4,
     "not a whole one below 2^64"},
    {R"({"a":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]}})", 4,
     "'a' has an extent of 9223372036854775808"},
    {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4, "'a' is impossible"},
    {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})", 0,
     "'a' is impossible"},
    {R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0,
     "does not take the bytes"},
    {R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1, "does not take the bytes 0 to 1"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "'a' needs two data_offsets"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", 8, "a number where none belongs"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 8,
     "of F32 and shape [1] does not take the bytes 0 to 8"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "a hole"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,-4]}})", 4, "a negative number"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551615]}})", 4,
     "a hole"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "the one before ends at 0: a hole"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3,
     "the tensors need 4 bytes; the file has 3"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5,
     "the tensors need 4 bytes; the file has 5"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
     8, "'b' begins at byte 0 of the data; the one before ends at 4: an overlap"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     8, "'a' is listed twice"},
    {R"({"__metadata__":{"k":1}})", 0, "a number where none belongs, after 'k'"},
    {R"({"__metadata__":{"k":{"l":"m"}}})", 0, "an object where none belongs"},
    {R"({"__metadata__":{"k":"v","k":"v"}})", 0, "has metadata 'k' twice"},
    {R"({"__metadata__":{},"__metadata__":{}})", 0, "'__metadata__' is listed twice"},
    {R"({"__metadata__":"text"})", 0, "a string where none belongs"},
};

TEST(Safetensors, refuses_each_broken_header_by_its_rule) {
  for (const Refused& wrong : refused) {
    EXPECT_THAT(failure_of([&] { parse_safetensors(bytes_of(with_header(wrong.json, wrong.data_size))); }),
                HasSubstr(std::string(wrong.reason)))
        << wrong.json;
  }
}

TEST(Safetensors, refuses_a_header_length_that_the_file_or_the_limit_does_not_allow) {
  std::string file = with_header("{}");
  file[0] = 3;
  EXPECT_THAT(failure_of([&] { parse_safetensors(bytes_of(file)); }),
              HasSubstr("a header of 3 bytes does not fit"));
  std::memset(file.data(), 0xFF, 8);
  EXPECT_THAT(failure_of([&] { parse_safetensors(bytes_of(file)); }),
              HasSubstr("a header of 18446744073709551615 bytes does not fit"));
  const std::string padded = with_header("{}" + std::string(largest_safetensors_header - 1, ' '));
  EXPECT_THAT(failure_of([&] { parse_safetensors(bytes_of(padded)); }),
              HasSubstr("a header of 100000001 bytes"));
}

TEST(Safetensors, refuses_deep_nesting_without_recursion) {
  const std::string deep = "{\"a\":" + std::string(1'000'000, '[');
  EXPECT_THAT(failure_of([&] { parse_safetensors(bytes_of(with_header(deep))); }),
              HasSubstr("an array where none"));
}

TEST(Safetensors, reads_any_order_of_fields_and_of_data_and_any_blanks_of_json) {
  const std::string json =
      "{ \"b\" : {\"data_offsets\":[4,8], \"shape\":[ 1 ],\r\n\"dtype\":\"F32\"},"
      "\t\"a\":{\"shape\":[1],\"dtype\":\"F32\",\"data_offsets\":[0,4]}}  \n";
  const Checkpoint read = parse_safetensors(bytes_of(with_header(json, 8)));
  EXPECT_EQ(read.entries()[0].name, "b");
  EXPECT_EQ(read.entries()[1].name, "a");
}

TEST(Safetensors, reads_empty_tensors_that_begin_where_others_do) {
  const std::string json = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                           R"("e":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},)"
                           R"("f":{"dtype":"F64","shape":[3,0],"data_offsets":[4,4]}})";
  EXPECT_EQ(parse_safetensors(bytes_of(with_header(json, 4))).entries().size(), 3u);
}

TEST(Safetensors, refuses_every_shorter_file) {
  const std::string file = format_safetensors(sample());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(failure_of([&] { parse_safetensors(bytes_of(file).first(size)); }), "no EnvironmentError")
        << size;
  }
}

TEST(Safetensors, writes_no_name_that_json_cannot_hold) {
  const auto misuse = [](const std::string& name, const std::string& value) {
    Checkpoint checkpoint;
    checkpoint.add(name, Tensor<float>(1));
    checkpoint.metadata["k"] = value;
    return misuse_of([&] { format_safetensors(checkpoint); });
  };
  EXPECT_THAT(misuse("__metadata__", ""), HasSubstr("__metadata__"));
  EXPECT_THAT(misuse("\xFF", ""), HasSubstr("not UTF-8"));
  EXPECT_THAT(misuse("a", "\xC3"), HasSubstr("not UTF-8"));
  EXPECT_EQ(misuse("", std::string("a null \0 byte", 13)), "no UsageError");
}

TEST(Checkpoint, has_each_name_once_and_says_which_is_missing) {
  Checkpoint checkpoint;
  checkpoint.add("w", Tensor<float>(1));
  EXPECT_EQ(misuse_of([&] { checkpoint.add("w", Tensor<float>(2)); }),
            "the checkpoint has a tensor 'w' already");
  EXPECT_EQ(misuse_of([&] { checkpoint.tensor<float>("v"); }),
            "the checkpoint has no tensor 'v' among its 1");
}

}  // namespace
}  // namespace topos::io_tests
