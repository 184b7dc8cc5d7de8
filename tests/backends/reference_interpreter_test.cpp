#include "topos/backends/reference_interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "support/failure.hpp"
#include "support/required_tool.hpp"
#include "topos/base/error.hpp"

namespace topos::backends {
namespace {

using testing::HasSubstr;

constexpr std::string_view add = R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %sum = stablehlo.add %x, %y : tensor<2xf32>
  return %sum : tensor<2xf32>
}
)";

/// Stands in for the tool: a shell script, which --serve reaches as $0.
ReferenceInterpreter fake(std::string script) {
  return ReferenceInterpreter({"/bin/sh", "-c", std::move(script)});
}

Array floats(std::vector<std::int64_t> extents, std::vector<float> values) {
  return Array::of(std::move(extents), values);
}

TEST(FakeInterpreter, a_request_is_one_json_line) {
  ReferenceInterpreter tool = fake(
      "read -r line; printf '{\"error\": \"%s\"}\\n' \"$(printf %s \"$0 $line\" | tr -d '\\\\' | tr '\"' "
      "\"'\")\"");
  EXPECT_EQ(failure_of([&] { tool.evaluate("line 1\nline 2", std::vector<Array>{floats({1, 2}, {1, -2})}); }),
            "[reference interpreter] --serve "
            "{'arguments':[{'bytes':'0000803f000000c0','element':'f32','shape':[1,2]}],"
            "'module':'line 1nline 2','xla':false}");
}

TEST(FakeInterpreter, results_are_decoded) {
  ReferenceInterpreter tool = fake(
      R"(read -r line; echo '{"results": [{"shape": [2], "element": "f32", "bytes": "0000803f0000C0bf"}]}')");
  EXPECT_THAT(failure_of([&] { tool.evaluate("m", {}); }), HasSubstr("'C' is no hex digit"));
  ReferenceInterpreter other = fake(
      R"(read -r line; echo '{"results": [{"shape": [2], "element": "f32", "bytes": "0000803f0000c0bf"}, )"
      R"({"shape": [], "element": "i1", "bytes": "01"}, {"shape": [0], "element": "i64", "bytes": ""}]}')");
  const std::vector<Array> results = other.evaluate("m", {});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0], floats({2}, {1, -1.5f}));
  EXPECT_EQ(results[1], Array::of({}, std::vector<std::uint8_t>{1}));
  EXPECT_EQ(results[2], Array::zeros({ArrayElement::i64, {0}}));
}

TEST(FakeInterpreter, replies_of_another_form_are_quoted) {
  const std::vector<std::string> replies{
      "hello",
      "[1]",
      "{}",
      R"({"results": 1})",
      R"({"results": [{"shape": [2], "element": "f32", "bytes": "00"}]})",
      R"({"results": [{"shape": [2], "element": "f16", "bytes": "00000000"}]})",
      R"({"results": [{"shape": [-1], "element": "f32", "bytes": ""}]})"};
  for (const std::string& reply : replies) {
    ReferenceInterpreter tool = fake("read -r line; echo '" + reply + "'");
    const std::string message = failure_of([&] { tool.evaluate("m", {}); });
    EXPECT_THAT(message, HasSubstr("gave a reply that is none"));
    EXPECT_THAT(message, HasSubstr(reply));
  }
}

TEST(FakeInterpreter, a_dead_tool_is_reported_and_not_reused) {
  ReferenceInterpreter tool = fake("read -r line; echo 'out of luck' >&2; exit 2");
  EXPECT_THAT(failure_of([&] { tool.parse("m"); }),
              testing::AllOf(HasSubstr("exit status 2"), HasSubstr("out of luck")));
  EXPECT_THAT(failure_of([&] { tool.parse("m"); }), HasSubstr("it was given up then"));
}

TEST(FakeInterpreter, the_environment_names_the_tool) {
  ::setenv("TOPOS_STABLEHLO_EVALUATOR", "/bin/sh -c exit\t8", 1);
  ReferenceInterpreter tool({"/no/such/tool"});
  ::unsetenv("TOPOS_STABLEHLO_EVALUATOR");
  EXPECT_THAT(failure_of([&] { tool.parse("m"); }), HasSubstr("`/bin/sh -c exit 8 --serve`"));
}

TEST(FakeInterpreter, text_that_is_not_utf8_is_a_usage_error) {
  ReferenceInterpreter tool = fake("cat >/dev/null");
  EXPECT_THROW(tool.parse("\xff\xfe"), UsageError);
}

class RealInterpreter : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto script = std::filesystem::path(TOPOS_SOURCE_DIR) / "tools" / "eval-stablehlo.py";
    const bool chosen = std::getenv("TOPOS_STABLEHLO_EVALUATOR") != nullptr;
    if (!chosen && (!std::filesystem::exists(script) || !std::filesystem::exists(TOPOS_PYTHON))) return;
    tool_ = std::make_unique<ReferenceInterpreter>(Command{TOPOS_PYTHON, script.string()},
                                                   Process::Options{.call_limit = std::chrono::minutes(2)});
  }
  static void TearDownTestSuite() { tool_.reset(); }
  void SetUp() override {
    TOPOS_REQUIRE_TOOL(tool_, "no " TOPOS_PYTHON " or no tools/eval-stablehlo.py; run script/bootstrap");
  }
  static std::unique_ptr<ReferenceInterpreter> tool_;
};
std::unique_ptr<ReferenceInterpreter> RealInterpreter::tool_;

TEST_F(RealInterpreter, it_evaluates_with_both_engines) {
  const std::vector<Array> arguments{floats({2}, {1, 2}), floats({2}, {0.5f, -2})};
  const std::vector<Array> wanted{floats({2}, {1.5f, 0})};
  EXPECT_EQ(tool_->evaluate(add, arguments), wanted);
  EXPECT_EQ(tool_->evaluate_xla(add, arguments), wanted);
}

TEST_F(RealInterpreter, every_element_goes_there_and_back) {
  const std::vector<Array> arrays{
      floats({2}, {-0.0f, 1e-45f}),
      Array::of({2}, std::vector<double>{5e-324, -1.25}),
      Array::of({2}, std::vector<std::uint16_t>{0x3f80, 0x8001}),
      Array::of({2}, std::vector<std::uint8_t>{1, 0}),
      Array::of({2}, std::vector<std::int32_t>{-1, 2147483647}),
      Array::of({2}, std::vector<std::int64_t>{std::int64_t{1} << 62, -5}),
  };
  for (const Array& array : arrays) {
    const std::string type = describe(array.type());
    const std::string module =
        "func.func @main(%x: " + type + ") -> " + type + " { return %x : " + type + " }";
    EXPECT_EQ(tool_->evaluate(module, std::span(&array, 1)), std::vector<Array>{array}) << type;
    EXPECT_EQ(tool_->evaluate_xla(module, std::span(&array, 1)), std::vector<Array>{array}) << type;
  }
}

TEST_F(RealInterpreter, a_bad_module_is_reported_and_the_next_one_answered) {
  EXPECT_NO_THROW(tool_->parse(add));
  EXPECT_THAT(failure_of([&] { tool_->parse("func.func @main() { stablehlo.nonsense }"); }),
              HasSubstr("[reference interpreter] module:1:"));
  EXPECT_THAT(failure_of([&] { tool_->evaluate(add, std::vector<Array>{floats({2}, {1, 2})}); }),
              HasSubstr("@main takes 2 arguments, 1 are given"));
  EXPECT_NO_THROW(tool_->parse(add));
}

}  // namespace
}  // namespace topos::backends
