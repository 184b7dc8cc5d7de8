#include "topos/backends/xla_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/failure.hpp"
#include "support/required_tool.hpp"
#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

using testing::HasSubstr;

constexpr std::string_view multiply_add = R"(
module {
  func.func @main(%scale: tensor<2xf32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %product = stablehlo.multiply %scale, %x : tensor<2xf32>
    %result = stablehlo.add %product, %y : tensor<2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%result init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %result, %sum : tensor<2xf32>, tensor<f32>
  }
}
)";

const ArrayType pair{ArrayElement::f32, {2}};
const ArrayType scalar{ArrayElement::f32, {}};

Array floats(std::vector<std::int64_t> extents, std::vector<float> values) {
  return Array::of(std::move(extents), values);
}

/// A server whose "Python" is a shell: the script is run with the module, static and manifest files as $1 to
/// $3.
class FakeServer : public testing::Test {
 protected:
  XlaServer::Options options(std::string_view script) {
    XlaServer::Options options;
    options.python = {"/bin/sh"};
    options.script = directory_.write("server.sh", std::span(&script, 1));
    return options;
  }
  void SetUp() override { ::unsetenv("TOPOS_XLA_PYTHON"); }
  void TearDown() override { ::unsetenv("TOPOS_XLA_PYTHON"); }

  TemporaryDirectory directory_;
};

TEST_F(FakeServer, requests_and_replies_are_raw_bytes_in_order) {
  XlaServer server(options("exec cat"), "module", {}, {pair, scalar}, {scalar, pair});
  for (float offset = 0; offset < 3; ++offset) {
    const std::vector<Array> arguments{floats({2}, {1 + offset, 2}), floats({}, {3})};
    const std::vector<Array> results = server.run(arguments);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0], floats({}, {1 + offset}));
    EXPECT_EQ(results[1], floats({2}, {2, 3}));
  }
}

TEST_F(FakeServer, the_files_follow_the_protocol) {
  // Its one reply is what the three files hold.
  const std::vector<Array> statics{floats({1, 2}, {1, 2}), floats({}, {3})};
  const std::string manifest = R"({"dynamic":[[2],[]]})";
  const std::vector<std::uint8_t> static_bytes{2,    0,    0, 0, 1, 0,    0, 0, 2, 0, 0, 0, 0,    0,
                                               0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x40, 0x40};
  const std::string module = "the module";
  const auto size = static_cast<std::int64_t>(module.size() + static_bytes.size() + manifest.size());
  XlaServer server(options("head -c 12 >/dev/null; cat \"$1\" \"$2\" \"$3\""), module, statics,
                   {pair, scalar}, {{ArrayElement::i1, {size}}});
  const Array reply = server.run(std::vector<Array>{floats({2}, {0, 0}), floats({}, {0})})[0];
  std::string wanted = module;
  wanted.append(static_bytes.begin(), static_bytes.end());
  wanted += manifest;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(reply.bytes.data()), reply.bytes.size()), wanted);
}

TEST_F(FakeServer, the_files_go_with_the_server) {
  const std::filesystem::path note = directory_.path() / "note";
  std::filesystem::path module;
  {
    XlaServer server(options("printf %s \"$1\" > " + note.string() + "; exec cat"), "module", {}, {scalar},
                     {scalar});
    server.run(std::vector<Array>{floats({}, {1})});
    std::string text;
    std::getline(std::ifstream(note), text);
    module = text;
    EXPECT_TRUE(std::filesystem::exists(module));
    const auto rights = std::filesystem::status(module.parent_path()).permissions();
    EXPECT_EQ(rights & std::filesystem::perms::all, std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(module.parent_path()));
}

TEST_F(FakeServer, its_complaint_reaches_the_caller) {
  XlaServer server(options("echo 'module.mlir:3: no such operation' >&2; exit 1"), "module", {}, {pair},
                   {pair});
  const std::vector<Array> arguments{floats({2}, {1, 2})};
  const std::string message = failure_of([&] { server.run(arguments); });
  EXPECT_THAT(message, HasSubstr("ended with exit status 1"));
  EXPECT_THAT(message, HasSubstr("module.mlir:3: no such operation"));
  EXPECT_THAT(failure_of([&] { server.run(arguments); }), HasSubstr("it was given up then"));
}

TEST_F(FakeServer, the_environment_names_the_interpreter) {
  ::setenv("TOPOS_XLA_PYTHON", "/usr/bin/env -i /bin/sh", 1);
  XlaServer::Options changed = options("exec cat");
  changed.python = {"/no/such/python"};
  XlaServer server(changed, "module", {}, {scalar}, {scalar});
  EXPECT_EQ(server.run(std::vector<Array>{floats({}, {5})})[0], floats({}, {5}));
}

TEST_F(FakeServer, arguments_of_another_type_or_number_are_refused) {
  XlaServer server(options("exec cat"), "module", {}, {pair}, {pair});
  EXPECT_THROW(server.run(std::vector<Array>{}), UsageError);
  EXPECT_THROW(server.run(std::vector<Array>{floats({1, 2}, {1, 2})}), UsageError);
  EXPECT_THROW(server.run(std::vector<Array>{Array::zeros({ArrayElement::i32, {2}})}), UsageError);
  // None of that was sent.
  EXPECT_EQ(server.run(std::vector<Array>{floats({2}, {1, 2})})[0], floats({2}, {1, 2}));
}

TEST_F(FakeServer, a_request_without_bytes_is_refused) {
  EXPECT_THROW(XlaServer(options("exec cat"), "module", {}, {{ArrayElement::f32, {0}}}, {pair}), UsageError);
  EXPECT_THROW(XlaServer(options("exec cat"), "module", {}, {}, {pair}), UsageError);
}

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    options_.python = {TOPOS_PYTHON};
    options_.script = std::filesystem::path(TOPOS_SOURCE_DIR) / "tools" / "serve-stablehlo-xla.py";
    options_.process.call_limit = std::chrono::minutes(2);
    TOPOS_REQUIRE_TOOL(std::filesystem::exists(options_.script), options_.script << " is not there");
    TOPOS_REQUIRE_TOOL(std::getenv("TOPOS_XLA_PYTHON") != nullptr || std::filesystem::exists(TOPOS_PYTHON),
                       TOPOS_PYTHON << " is not there; run script/bootstrap");
  }
  XlaServer::Options options_;
};

TEST_F(RealServer, statics_and_dynamics_meet_in_the_module) {
  const std::vector<Array> statics{floats({2}, {10, 100})};
  XlaServer server(options_, multiply_add, statics, {pair, pair}, {pair, scalar});
  for (float offset = 0; offset < 3; ++offset) {
    const std::vector<Array> results =
        server.run(std::vector<Array>{floats({2}, {1, 2}), floats({2}, {offset, 0})});
    EXPECT_EQ(results[0], floats({2}, {10 + offset, 200}));
    EXPECT_EQ(results[1], floats({}, {210 + offset}));
  }
}

TEST_F(RealServer, a_module_that_is_wrong_is_reported_by_the_first_run) {
  XlaServer server(options_, "module { func.func @main() -> tensor<f32> { return } }", {}, {pair}, {pair});
  const std::string message = failure_of([&] { server.run(std::vector<Array>{floats({2}, {1, 2})}); });
  EXPECT_THAT(message, HasSubstr("ended with exit status 1"));
  EXPECT_THAT(message, HasSubstr("module.mlir:1"));
}

}  // namespace
}  // namespace topos::backends
