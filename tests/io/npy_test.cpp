// NumPy's arrays: every order, version and float; a header that is read, not evaluated.
#include "topos/io/npy.hpp"

#include <gmock/gmock.h>

#include "io/support.hpp"

namespace topos::io_tests {
namespace {

using ::testing::HasSubstr;

/// The bytes of a file with this header's text and these elements.
std::string npy(std::string text, std::string_view elements = "", char version = 1) {
  std::string file("\x93NUMPY");
  file += {version, '\0', static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  if (version > 1) file.append(2, '\0');
  return file.append(text).append(elements);
}
std::string npy(const std::string& descr, const std::string& order, const std::string& shape,
                std::string_view elements) {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n",
             elements);
}
std::string refusal(const std::string& file) {
  return failure_of([&] { parse_npy(bytes_of(file)); });
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}
template <class E = float>
std::string floats_of(const std::string& file) {
  return describe(parse_npy(bytes_of(file)).as<E>());
}

TEST(Npy, reads_what_it_writes) {
  const std::uint8_t flags[]{1, 0};
  for (const StoredTensor& tensor :
       std::vector<StoredTensor>{Tensor<float>({2, 3}, {1, -0.0f, 3, 4, INFINITY, NAN}), Tensor<double>(0.1),
                                 Tensor<float>({3}, {1, 2, 3}), Tensor<double>({0, 5}, {}),
                                 StoredTensor("BOOL", Shape({2}), std::as_bytes(std::span(flags)))}) {
    EXPECT_TRUE(same(parse_npy(bytes_of(format_npy(tensor))), tensor)) << describe(tensor.shape());
    EXPECT_EQ((format_npy(tensor).size() - tensor.bytes().span.size()) % 64, 0u);
  }
}

TEST(Npy, reads_both_byte_orders) {
  EXPECT_EQ(floats_of(npy("<f4", "False", "(2,)", raw({1.5f, -2.0f}))), "[1.5, -2]");
  EXPECT_EQ(floats_of(npy(">f4", "False", "(2,)", std::string("\x3F\xC0\0\0\xC0\0\0\0", 8))), "[1.5, -2]");
  EXPECT_EQ(floats_of<double>(npy(">f8", "False", "()", std::string("\x3F\xF8\0\0\0\0\0\0", 8))), "1.5");
  EXPECT_EQ(floats_of(npy(">f2", "False", "(1,)", std::string("\x3E\0", 2))), "[1.5]");
  EXPECT_EQ(floats_of(npy("<f2", "False", "(1,)", std::string("\0\x3E", 2))), "[1.5]");
  const StoredTensor complex = parse_npy(bytes_of(npy(">c8", "False", "()", "abcdefgh")));
  EXPECT_TRUE(std::ranges::equal(complex.bytes().span, bytes_of("dcbahgfe")));
}

TEST(Npy, reads_column_major_arrays) {
  EXPECT_EQ(floats_of(npy("<f4", "True", "(2, 3)", raw<float>({1, 4, 2, 5, 3, 6}))),
            "[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(floats_of(npy("<f4", "True", "(2, 1, 2)", raw<float>({1, 3, 2, 4}))), "[[[1, 2]], [[3, 4]]]");
  EXPECT_EQ(floats_of(npy("<f4", "True", "(2,)", raw<float>({1, 2}))), "[1, 2]");
  EXPECT_EQ(floats_of(npy("<f4", "True", "()", raw<float>({1}))), "1");
  EXPECT_EQ(parse_npy(bytes_of(npy("<f4", "True", "(3, 0, 2)", ""))).shape(), Shape({3, 0, 2}));
}

TEST(Npy, reads_the_three_format_versions) {
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(floats_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", raw({1.0f}), version)),
              "1");
  }
  EXPECT_THAT(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", raw({1.0f}), 4)),
              HasSubstr("format version 4.0 is not known"));
}

TEST(Npy, reads_a_header_however_python_would_write_it) {
  for (const char* header : {"{'shape': (1,), 'fortran_order': False, 'descr': '<f4'}",
                             "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(1,)}",
                             " { 'descr' : '<f4' ,\n'fortran_order' : True , 'shape' : ( 1 , ) , } \n "}) {
    EXPECT_EQ(floats_of(npy(header, raw({2.0f}))), "[2]") << header;
  }
}

TEST(Npy, refuses_every_other_header) {
  const std::pair<const char*, const char*> headers[]{
      {"[1, 2, 3, 4, 5]", "needs '{' at byte 0"},
      {"{'descr': '<f4', 'shape': (1,), }", "lacks descr, fortran_order or shape"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "has 'descr' twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "an unknown key 'x'"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "needs ',' at byte"},
      {"{, 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "at byte 1"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "needs True or False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "needs ',' after the only extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [1]}", "needs '('"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}", "needs ',' or ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}", "needs ',' or ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
       "does not fit in 63 bits"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "are not what shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
       "4 bytes of elements are not what shape [2] of F32"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "needs the end"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (", "needs an extent"},
      {"{'descr': '<f4', 'fortran_order': Fal", "needs True or False"},
      {"{'descr': '<f4', 'fortran_order", "the end of a plain string"},
      {"{'descr': '<\\x66', 'fortran_order': False, 'shape': ()}", "the end of a plain string"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': ()}", "elements of type '|O' are not read"},
      {"{'descr': '=f4', 'fortran_order': False, 'shape': ()}", "elements of type '=f4' are not read"},
      {"{'descr': '|f4', 'fortran_order': False, 'shape': ()}", "elements of type '|f4' are not read"},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': ()}", "elements of type '<f16' are not read"},
      {"{'descr': '<u1', 'fortran_order': False, 'shape': ()}", "elements of type '<u1' are not read"},
      {"{'descr': '', 'fortran_order': False, 'shape': ()}", "elements of type '' are not read"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "needs '\"'"},
      {"__import__('os').system('true')", "needs '{' at byte 0"},
  };
  for (const auto& [header, reason] : headers) {
    EXPECT_THAT(refusal(npy(header, raw({1.0f}))), HasSubstr(reason)) << header;
  }
}

TEST(Npy, refuses_more_axes_than_numpy_has_in_both_directions) {
  std::string shape;
  for (int axis = 0; axis < 65; ++axis) shape += "1, ";
  EXPECT_THAT(refusal(npy("<f4", "False", "(" + shape + ")", raw({1.0f}))),
              HasSubstr("65 axes are more than NumPy's 64"));
  const auto tensor = Tensor<float>(1).reshaped(Shape(std::vector<Extent>(65, 1)));
  EXPECT_THAT(misuse_of([&] { format_npy(tensor); }), HasSubstr("65 axes are more than NumPy's 64"));
}

TEST(Npy, refuses_headers_longer_than_the_file_or_the_limit) {
  EXPECT_THAT(refusal(npy(std::string(10'001, ' '))), HasSubstr("a header of 10001 bytes does not fit"));
  std::string file = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
  file[8] = 100;
  EXPECT_THAT(refusal(file), HasSubstr("a header of 100 bytes does not fit"));
  EXPECT_THAT(refusal(npy("{}  ")), HasSubstr("a header of 4 bytes does not fit"));
  EXPECT_THAT(refusal("PK and so on"), HasSubstr("does not begin with \\x93NUMPY"));
}

TEST(Npy, refuses_every_shorter_file) {
  const std::string file = format_npy(Tensor<float>({3}, {1, 2, 3}));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "no EnvironmentError") << size;
  }
  EXPECT_NE(refusal(file + "x"), "no EnvironmentError");
}

TEST(Npy, writes_no_type_that_numpy_lacks) {
  const std::byte two[2]{};
  EXPECT_EQ(misuse_of([&] { format_npy(StoredTensor("BF16", Shape({1}), two)); }),
            "NumPy has no BF16 elements");
}

}  // namespace
}  // namespace topos::io_tests
