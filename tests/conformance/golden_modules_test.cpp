// Every module that is kept as a golden file is accepted by the parser, runs on both engines, and means the
// same to them. The files are what the emission tests compare their text with, so this executes the text of
// those tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/foreign.hpp"
#include "topos/base/file.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/tensor/convert.hpp"

namespace topos::testing {
namespace {

std::set<std::string> golden_modules() {
  std::set<std::string> paths;
  const std::filesystem::path tests = std::filesystem::path(TOPOS_SOURCE_DIR) / "tests";
  for (const std::filesystem::path& folder :
       {tests / "golden" / "stablehlo", tests / "examples" / "plates"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".mlir") paths.insert(entry.path().string());
    }
  }
  return paths;
}

/// Draws for "%arg0: tensor<2x3xf32>, %arg1: tensor<f64>", the arguments of @main.
std::vector<backends::Array> drawn_arguments(const std::string& text) {
  const std::size_t start = text.find("@main(");
  std::string_view rest(text);
  rest = rest.substr(start, text.find(") ->", start) - start);
  std::vector<backends::Array> arguments;
  Uniform draws(31, 1.5);
  for (std::size_t at = rest.find("tensor<"); at != std::string_view::npos;
       at = rest.find("tensor<", at + 1)) {
    std::string_view type = rest.substr(at + 7, rest.find('>', at) - at - 7);
    std::vector<Extent> extents;
    for (std::size_t x = type.find('x'); x != std::string_view::npos; x = type.find('x')) {
      extents.push_back(std::stoll(std::string(type.substr(0, x))));
      type.remove_prefix(x + 1);
    }
    const Shape shape(extents);
    arguments.push_back(type == "f64"    ? foreign_array(draws.tensor<double>(shape))
                        : type == "bf16" ? foreign_array(convert<Bf16>(draws.tensor<float>(shape)))
                                         : foreign_array(draws.tensor<float>(shape)));
  }
  return arguments;
}

/// Without a plan there are no bounds. Values of order 1 through short programs, in which a sum has some
/// hundred terms: 1e-5 of the largest element is a hundred roundings in f32; in bf16, which adds in f32, four
/// of its own are 2^-6 (and so in f32 that is computed from bf16).
template <class E>
::testing::AssertionResult near(const backends::Array& first, const backends::Array& second, bool narrow) {
  const Elements<double> a = convert<double>(tensor_of<E>(first)).elements();
  const Elements<double> b = convert<double>(tensor_of<E>(second)).elements();
  const double allowed = narrow ? 0x1p-6 : 1e-5;
  double size = 0.0;
  for (const double e : a) size = std::isfinite(e) ? std::max(size, std::fabs(e)) : size;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool equal = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (!equal && !(std::fabs(a[i] - b[i]) <= allowed * size)) {
      return ::testing::AssertionFailure() << "element " << i << ": " << a[i] << " and " << b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(GoldenModules, are_accepted_and_mean_the_same_to_both_engines) {
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
  const std::set<std::string> paths = golden_modules();
  EXPECT_GE(paths.size(), 50u);
  Foreign& tools = Foreign::instance();
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const std::string text = read_file(path);
    try {
      tools.parse(text);
      const std::vector<backends::Array> arguments = drawn_arguments(text);
      if (text.find("stablehlo.batch_norm_") != std::string::npos) {
        // The interpreter has no batch norm: batch_norm_test.cpp compares XLA's with the plan.
        EXPECT_FALSE(tools.evaluate(Engine::xla, text, arguments).empty());
        continue;
      }
      const std::vector<backends::Array> interpreted = tools.evaluate(Engine::interpreter, text, arguments);
      const std::vector<backends::Array> compiled = tools.evaluate(Engine::xla, text, arguments);
      ASSERT_EQ(interpreted.size(), compiled.size());
      for (std::size_t i = 0; i < interpreted.size(); ++i) {
        ASSERT_EQ(interpreted[i].type(), compiled[i].type());
        const backends::ArrayElement element = interpreted[i].element;
        const bool narrow = text.find("bf16") != std::string::npos;
        EXPECT_TRUE(element == backends::ArrayElement::f64 ? near<double>(interpreted[i], compiled[i], narrow)
                    : element == backends::ArrayElement::bf16
                        ? near<Bf16>(interpreted[i], compiled[i], narrow)
                        : near<float>(interpreted[i], compiled[i], narrow))
            << "result " << i;
      }
    } catch (const EnvironmentError& error) {
      if (!lacks_product(error.what())) ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace
}  // namespace topos::testing
