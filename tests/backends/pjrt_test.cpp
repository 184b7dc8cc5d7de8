#include "topos/backends/pjrt.hpp"
#include "support/required_tool.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "topos/backends/temporary_directory.hpp"
#include "topos/base/error.hpp"

namespace topos::backends::pjrt {
namespace {

using testing::HasSubstr;

Array floats(std::vector<std::int64_t> extents, std::vector<float> values) {
  return Array::of(std::move(extents), values);
}

template <class Fault, class Call>
std::string fault_of(Call call) {
  try {
    call();
  } catch (const Fault& error) {
    return error.what();
  }
  return "no such fault";
}

constexpr std::string_view add = R"(
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %sum = stablehlo.add %x, %y : tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}
)";

// Several results of several ranks, one of them empty, one an argument as it came, one laid out anew.
constexpr std::string_view many = R"(
func.func @main(%x: tensor<2x3xf32>, %none: tensor<0x3xf32>)
    -> (tensor<f32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<3x2xf32>, tensor<2x3xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %empty = stablehlo.negate %none : tensor<0x3xf32>
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %positive = stablehlo.compare GT, %x, %zeros : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %sum, %x, %empty, %turned, %positive
      : tensor<f32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<3x2xf32>, tensor<2x3xi1>
}
)";

const std::vector<Array> two{floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2, 3}, {10, 20, 30, 40, 50, 60})};
const Array total = floats({2, 3}, {11, 22, 33, 44, 55, 66});

class Pjrt : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      if (std::filesystem::exists(Client::default_plugin())) client_ = std::make_unique<Client>();
    } catch (const EnvironmentError&) {
      // Reported by each test as skipped.
    }
  }
  static void TearDownTestSuite() { client_.reset(); }
  void SetUp() override {
    TOPOS_REQUIRE_TOOL(client_, "no PJRT plugin: run script/bootstrap, or set TOPOS_PJRT_PLUGIN");
  }
  static std::unique_ptr<Client> client_;
};
std::unique_ptr<Client> Pjrt::client_;

TEST_F(Pjrt, the_client_describes_itself) {
  EXPECT_FALSE(client_->platform().empty());
  EXPECT_GE(client_->device_count(), 1u);
  EXPECT_THAT(client_->description(), testing::StartsWith(client_->platform() + ", PJRT API 0."));
}

TEST_F(Pjrt, two_arrays_are_added) {
  const Executable executable = client_->compile(add);
  EXPECT_EQ(executable.run(two), std::vector<Array>{total});
}

TEST_F(Pjrt, the_signature_is_known) {
  const Executable executable = client_->compile(many);
  ASSERT_TRUE(executable.argument_types().has_value());
  EXPECT_EQ(*executable.argument_types(),
            (std::vector<ArrayType>{{ArrayElement::f32, {2, 3}}, {ArrayElement::f32, {0, 3}}}));
  EXPECT_EQ(executable.result_types(), (std::vector<ArrayType>{{ArrayElement::f32, {}},
                                                               {ArrayElement::f32, {2, 3}},
                                                               {ArrayElement::f32, {0, 3}},
                                                               {ArrayElement::f32, {3, 2}},
                                                               {ArrayElement::i1, {2, 3}}}));
}

TEST_F(Pjrt, results_of_any_rank_come_back_in_order) {
  const Executable executable = client_->compile(many);
  const std::vector<Array> arguments{floats({2, 3}, {1, -2, 3, 4, 5, -0.0f}), floats({0, 3}, {})};
  const std::vector<Array> results = executable.run(arguments);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0], floats({}, {11}));
  EXPECT_EQ(results[1], arguments[0]);
  EXPECT_EQ(results[2], arguments[1]);
  EXPECT_EQ(results[3], floats({3, 2}, {1, 4, -2, 5, 3, -0.0f}));
  EXPECT_EQ(results[4], Array::of({2, 3}, std::vector<std::uint8_t>{1, 0, 1, 1, 1, 0}));
}

TEST_F(Pjrt, every_element_goes_there_and_back) {
  const std::vector<Array> arrays{
      floats({3}, {-0.0f, 1e-45f, INFINITY}),
      Array::of({3}, std::vector<double>{5e-324, -1.25, 1e300}),
      Array::of({3}, std::vector<std::uint16_t>{0x3f80, 0x8001, 0x7f80}),
      Array::of({3}, std::vector<std::uint8_t>{1, 0, 1}),
      Array::of({3}, std::vector<std::int32_t>{-1, 2147483647, 0}),
      Array::of({3}, std::vector<std::int64_t>{std::int64_t{1} << 62, -5, 0}),
  };
  for (const Array& array : arrays) {
    const std::string type = describe(array.type());
    const Executable executable =
        client_->compile("func.func @main(%x: " + type + ") -> " + type + " { return %x : " + type + " }");
    EXPECT_EQ(*executable.argument_types(), std::vector<ArrayType>{array.type()});
    EXPECT_EQ(executable.run(std::span(&array, 1)), std::vector<Array>{array}) << type;
    EXPECT_EQ(client_->to_device(array).to_host(), array) << type;
  }
}

TEST_F(Pjrt, a_module_without_arguments_runs) {
  const Executable executable = client_->compile(
      "func.func @main() -> tensor<f64> { %c = stablehlo.constant dense<2.5> : tensor<f64> return %c : "
      "tensor<f64> }");
  EXPECT_EQ(executable.run(std::span<const Array>{}),
            std::vector<Array>{Array::of({}, std::vector<double>{2.5})});
}

TEST_F(Pjrt, results_go_into_arrays_that_are_kept) {
  const Executable executable = client_->compile(add);
  std::vector<Array> results{Array::zeros({ArrayElement::f32, {2, 3}})};
  const std::byte* const place = results[0].bytes.data();
  executable.run(views(two), results);
  EXPECT_EQ(results[0], total);
  EXPECT_EQ(results[0].bytes.data(), place);
  std::vector<Array> wrong{Array::zeros({ArrayElement::f32, {3, 2}})};
  EXPECT_EQ(fault_of<UsageError>([&] { executable.run(views(two), wrong); }),
            "[array] result 0 is tensor<3x2xf32>; tensor<2x3xf32> is wanted");
  EXPECT_EQ(fault_of<UsageError>([&] { executable.run(views(two), {}); }),
            "[pjrt] the module has 1 results; room for 0 is given");
}

TEST_F(Pjrt, arguments_are_read_wherever_they_lie) {
  // XLA's CPU client reads in place at 64-byte boundaries and copies elsewhere.
  const Executable executable = client_->compile(add);
  std::vector<std::byte> memory(4096);
  const ArrayType type{ArrayElement::f32, {2, 3}};
  auto* const boundary =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  for (const std::size_t offset : {0, 4, 16, 32}) {
    std::byte* const place = boundary + offset;
    std::memcpy(place, two[0].bytes.data(), two[0].bytes.size());
    const std::vector<ArrayView> arguments{{type.element, type.extents, {place, type.byte_count()}}, two[1]};
    EXPECT_EQ(executable.run(arguments)[0], total) << offset;
    std::memset(place, 0xff, type.byte_count());  // given back: nobody reads it any more
  }
}

TEST_F(Pjrt, wrong_text_brings_the_plugins_message) {
  const std::string message = fault_of<EnvironmentError>([&] {
    client_->compile("func.func @main() -> tensor<f32> { %x = stablehlo.nonsense : tensor<f32> }");
  });
  EXPECT_THAT(message, testing::StartsWith("[pjrt] compiling a module: "));
  EXPECT_THAT(message, HasSubstr("(plugin "));
  EXPECT_EQ(fault_of<EnvironmentError>([&] { client_->compile(""); }).substr(0, 6), "[pjrt]");
  // The client goes on.
  EXPECT_EQ(client_->compile(add).run(two)[0], total);
}

TEST_F(Pjrt, an_element_without_an_array_is_refused_at_compilation) {
  EXPECT_THAT(fault_of<EnvironmentError>([&] {
                client_->compile(
                    "func.func @main(%x: tensor<2xui8>) -> tensor<2xf32> {"
                    " %y = stablehlo.convert %x : (tensor<2xui8>) -> tensor<2xf32>"
                    " return %y : tensor<2xf32> }");
              }),
              HasSubstr("argument 0 of the module has an element type"));
  EXPECT_THAT(fault_of<EnvironmentError>([&] {
                client_->compile(
                    "func.func @main(%x: tensor<2xf32>) -> tensor<2xui8> {"
                    " %y = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xui8>"
                    " return %y : tensor<2xui8> }");
              }),
              HasSubstr("result 0 has an element type"));
}

TEST_F(Pjrt, a_wrong_number_of_arguments_is_refused) {
  const Executable executable = client_->compile(add);
  EXPECT_EQ(fault_of<UsageError>([&] { executable.run(std::span(two).first(1)); }),
            "[pjrt] the module takes 2 arguments; 1 are given");
  EXPECT_EQ(fault_of<UsageError>([&] { executable.execute(std::span<const Buffer>{}); }),
            "[pjrt] the module takes 2 arguments; 0 are given");
}

TEST_F(Pjrt, arguments_of_another_type_are_refused) {
  // All of these have the number of bytes that XLA itself would be content with.
  const Executable executable = client_->compile(add);
  const std::vector<std::pair<Array, std::string>> cases{
      {floats({3, 2}, {1, 2, 3, 4, 5, 6}), "tensor<3x2xf32>"},
      {Array::zeros({ArrayElement::i32, {2, 3}}), "tensor<2x3xi32>"},
      {Array::zeros({ArrayElement::f64, {3}}), "tensor<3xf64>"},
  };
  for (const auto& [array, text] : cases) {
    EXPECT_EQ(fault_of<UsageError>([&] { executable.run(std::vector<Array>{two[0], array}); }),
              "[array] argument 1 is " + text + "; tensor<2x3xf32> is wanted");
    const Buffer first = client_->to_device(two[0]);
    const Buffer second = client_->to_device(array);
    const std::vector<const Buffer*> arguments{&first, &second};
    EXPECT_EQ(fault_of<UsageError>([&] { executable.execute(arguments); }),
              "[pjrt] argument 1 is " + text + "; the module takes tensor<2x3xf32>");
  }
}

TEST_F(Pjrt, bytes_that_contradict_the_type_are_refused) {
  const Array broken{ArrayElement::f32, {2, 3}, std::vector<std::byte>(20)};
  EXPECT_THROW(client_->to_device(broken), UsageError);
  EXPECT_THROW(client_->compile(add).run(std::vector<Array>{two[0], broken}), UsageError);
  const Buffer buffer = client_->to_device(two[0]);
  std::vector<std::byte> room(20);
  EXPECT_EQ(fault_of<UsageError>([&] { buffer.to_host(room); }),
            "[pjrt] tensor<2x3xf32> takes 24 bytes on the host; room for 20 is given");
}

TEST_F(Pjrt, device_arrays_are_reused_and_feed_the_next_run) {
  const Executable executable = client_->compile(add);
  Buffer sum = client_->to_device(two[0]);
  const Buffer step = client_->to_device(two[1]);
  for (int round = 0; round < 50; ++round) {
    const std::vector<const Buffer*> arguments{&sum, &step};
    sum = std::move(executable.execute(arguments)[0]);
  }
  EXPECT_EQ(sum.type(), (ArrayType{ArrayElement::f32, {2, 3}}));
  EXPECT_EQ(sum.to_host(), floats({2, 3}, {501, 1002, 1503, 2004, 2505, 3006}));
  EXPECT_EQ(step.to_host(), two[1]);
}

TEST_F(Pjrt, an_argument_that_a_result_might_overwrite_stays) {
  const Executable executable = client_->compile(R"(
    func.func @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x3xf32> {
      %y = stablehlo.add %x, %x : tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    })");
  const Array doubled = floats({2, 3}, {2, 4, 6, 8, 10, 12});
  const Buffer buffer = client_->to_device(two[0]);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(executable.execute(std::span(&buffer, 1))[0].to_host(), doubled);
    EXPECT_EQ(executable.run(std::span(two).first(1))[0], doubled);
  }
  EXPECT_EQ(buffer.to_host(), two[0]);
  EXPECT_EQ(two[0], floats({2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST_F(Pjrt, the_host_array_may_change_once_it_is_on_the_device) {
  Array array = two[0];
  const Buffer buffer = client_->to_device(array);
  array.values<float>()[0] = 99;
  EXPECT_EQ(buffer.to_host(), two[0]);
}

TEST_F(Pjrt, objects_are_destroyed_in_any_order) {
  // The order in which client (0), executable (1), argument (2) and result (3) go.
  std::vector<int> order{0, 1, 2, 3};
  do {
    auto client = std::make_unique<Client>();
    auto executable = std::make_unique<Executable>(client->compile(add));
    auto argument = std::make_unique<Buffer>(client->to_device(two[0]));
    const std::vector<const Buffer*> arguments{argument.get(), argument.get()};
    auto result = std::make_unique<Buffer>(std::move(executable->execute(arguments)[0]));
    for (const int which : order) {
      if (which == 0) client.reset();
      if (which == 1) executable.reset();
      if (which == 2) argument.reset();
      if (which == 3) result.reset();
      if (argument) {
        EXPECT_EQ(argument->to_host(), two[0]);
      }
      if (result) {
        EXPECT_EQ(result->to_host(), floats({2, 3}, {2, 4, 6, 8, 10, 12}));
      }
      if (executable) {
        EXPECT_EQ(executable->run(two)[0], total);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Pjrt, moved_objects_work_and_what_is_left_says_so) {
  Executable first = client_->compile(add);
  Executable executable = std::move(first);
  EXPECT_EQ(executable.run(two)[0], total);
  EXPECT_EQ(fault_of<UsageError>([&] { first.run(two); }),
            "[pjrt] an executable was used after it was moved from");
  Buffer buffer = client_->to_device(two[0]);
  const Buffer other = std::move(buffer);
  EXPECT_EQ(other.to_host(), two[0]);
  EXPECT_EQ(fault_of<UsageError>([&] { buffer.to_host(); }),
            "[pjrt] a buffer was used after it was moved from");
  EXPECT_EQ(fault_of<UsageError>([&] { buffer.wait(); }), "[pjrt] a buffer was used after it was moved from");
  executable = client_->compile(many);
  EXPECT_EQ(executable.result_types().size(), 5u);
}

TEST_F(Pjrt, an_array_of_another_client_is_refused) {
  const Client other;
  const Executable executable = client_->compile(add);
  const Buffer ours = client_->to_device(two[0]);
  const Buffer theirs = other.to_device(two[1]);
  const std::vector<const Buffer*> arguments{&ours, &theirs};
  EXPECT_EQ(fault_of<UsageError>([&] { executable.execute(arguments); }),
            "[pjrt] argument 1 belongs to another client");
}

TEST_F(Pjrt, threads_share_an_executable) {
  const Executable executable = client_->compile(add);
  const Buffer step = client_->to_device(two[1]);
  const auto work = [&](float start, std::vector<Array>& seen) {
    const Array initial = floats({2, 3}, std::vector<float>(6, start));
    for (int round = 0; round < 200; ++round) {
      seen.push_back(executable.run(std::vector<Array>{initial, two[1]})[0]);
      const Buffer sent = client_->to_device(initial);
      const std::vector<const Buffer*> arguments{&sent, &step};
      seen.push_back(executable.execute(arguments)[0].to_host());
    }
  };
  std::vector<std::vector<Array>> seen(2);
  std::vector<std::thread> threads;
  for (int index = 0; index < 2; ++index) {
    threads.emplace_back(work, static_cast<float>(index), std::ref(seen[static_cast<std::size_t>(index)]));
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t index = 0; index < 2; ++index) {
    const float start = static_cast<float>(index);
    const Array wanted =
        floats({2, 3}, {start + 10, start + 20, start + 30, start + 40, start + 50, start + 60});
    EXPECT_EQ(seen[index].size(), 400u);
    for (const Array& array : seen[index]) EXPECT_EQ(array, wanted);
  }
}

// --- Loading ---------------------------------------------------------------------------

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(PjrtPlugin, a_missing_file_is_named) {
  EXPECT_EQ(fault_of<EnvironmentError>([] { Client("/no/such/plugin.so"); }),
            "[pjrt] the plugin /no/such/plugin.so cannot be found: No such file or directory");
}

TEST(PjrtPlugin, a_file_that_is_no_library_is_refused) {
  const TemporaryDirectory directory;
  const std::string_view text =
      "not a library, but long enough to have had a header of one if it were one at all";
  const auto file = directory.write("plugin.so", std::span(&text, 1));
  EXPECT_THAT(
      fault_of<EnvironmentError>([&] { Client client(file); }),
      testing::AllOf(HasSubstr(file.string() + " cannot be loaded: "), HasSubstr("invalid ELF header")));
}

TEST(PjrtPlugin, a_library_that_is_no_plugin_is_refused) {
  Dl_info library{};  // a function that no sanitizer stands in for
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::dladdr), &library), 0);
  EXPECT_THAT(fault_of<EnvironmentError>([&] { Client client(library.dli_fname); }),
              HasSubstr("is a shared library but no PJRT plugin: it has no GetPjrtApi"));
}

TEST(PjrtPlugin, another_major_version_is_refused) {
  const Variable major("TOPOS_FAKE_PJRT_MAJOR", "1");
  EXPECT_THAT(fault_of<EnvironmentError>([] { Client client(TOPOS_FAKE_PJRT_PLUGIN); }),
              testing::EndsWith("speaks version 1.7 of the PJRT API; topos speaks 0.x"));
}

TEST(PjrtPlugin, a_function_beyond_the_plugins_table_is_not_called) {
  const Variable size("TOPOS_FAKE_PJRT_SIZE", "64");
  EXPECT_THAT(fault_of<EnvironmentError>([] { Client client(TOPOS_FAKE_PJRT_PLUGIN); }),
              testing::AllOf(HasSubstr("[pjrt] initialising the plugin: "),
                             HasSubstr("lacks the function for it in its API 0.7")));
}

TEST(PjrtPlugin, the_environment_names_the_plugin) {
  const Variable chosen("TOPOS_PJRT_PLUGIN", "/chosen/plugin.so");
  EXPECT_EQ(Client::default_plugin(), "/chosen/plugin.so");
}

}  // namespace
}  // namespace topos::backends::pjrt
