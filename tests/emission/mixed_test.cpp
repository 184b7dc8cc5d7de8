// What a tape of float emits for values held in bf16: bf16 types, explicit converts, and f32 wherever an
// operation adds up or takes several steps. Arguments are f32; a declared result has its own type.
#include <gtest/gtest.h>

#include "emission/module_text.hpp"
#include "emission/recording.hpp"
#include "support/golden.hpp"
#include "topos/composites/activations.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/pooling.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

using Recording = testing::Recording<float>;

TEST(Mixed, ValuesHeldInBf16HaveBf16TypesAndConvertsBetweenThem) {
  Recording r;
  const auto x = r.input({2});
  const auto half = convert<Bf16>(x);
  const auto scaled = half * Tensor<float>({2}, {1.1f, -2.0f});
  const auto wide = convert<float>(scaled);
  const Symbols roots{scaled, wide + x};
  EXPECT_EQ(std::move(r).emit(roots),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xf32>) {\n"
            "    %v1 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xbf16>\n"
            "    %v2 = stablehlo.constant dense<[1.1015625, -2.0]> : tensor<2xbf16>\n"
            "    %v3 = stablehlo.multiply %v1, %v2 : tensor<2xbf16>\n"
            "    %v4 = stablehlo.convert %v3 : (tensor<2xbf16>) -> tensor<2xf32>\n"
            "    %v5 = stablehlo.add %v4, %arg0 : tensor<2xf32>\n"
            "    return %v3, %v5 : tensor<2xbf16>, tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Mixed, AnOperationOfSeveralStepsTakesThemInF32) {
  Recording r;
  const auto x = convert<Bf16>(r.input({3}));
  const Symbols roots{erf_derivative(x)};
  EXPECT_EQ(std::move(r).emit(roots),
            "module @topos {\n"
            "  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xbf16>) {\n"
            "    %v1 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xbf16>\n"
            "    %v2_promoted = stablehlo.convert %v1 : (tensor<3xbf16>) -> tensor<3xf32>\n"
            "    %v2_squared = stablehlo.multiply %v2_promoted, %v2_promoted : tensor<3xf32>\n"
            "    %v2_negated = stablehlo.negate %v2_squared : tensor<3xf32>\n"
            "    %v2_bell = stablehlo.exponential %v2_negated : tensor<3xf32>\n"
            "    %v2_scale = stablehlo.constant dense<1.1283791670955126> : tensor<3xf32>\n"
            "    %v2_wide = stablehlo.multiply %v2_bell, %v2_scale : tensor<3xf32>\n"
            "    %v2 = stablehlo.convert %v2_wide : (tensor<3xf32>) -> tensor<3xbf16>\n"
            "    return %v2 : tensor<3xbf16>\n"
            "  }\n"
            "}\n");
}

/// A program and its gradients in the two types that make a value a bf16. The text of a tape of bf16 is that
/// of a tape of float, but for the types of its arguments and their converts.
template <class E, class Record>
std::string module_of(const std::vector<Shape>& shapes, const Record& record) {
  Tape<E> tape;
  std::vector<Value<E>> arguments, values;
  for (const Shape& shape : shapes) arguments.push_back(tape.input(Tensor<E>::filled(shape, E(0))));
  for (const Value<E>& argument : arguments) values.push_back(convert<Bf16>(argument));
  const Value<E> result = record(values);
  const auto loss = sum(result);
  const Adjoints adjoints = tape.differentiate(loss, Symbols(values.begin(), values.end()));
  Symbols roots = adjoints.roots();
  roots.push_back(result);
  return emit_stablehlo(std::move(tape).seal().entry(roots).lower());
}

template <class Record>
void expect_the_text_of_bf16(const std::vector<Shape>& shapes, const Record& record) {
  const std::string half = module_of<Bf16>(shapes, record);
  EditedText mixed(module_of<float>(shapes, record));
  const unsigned long count = shapes.size();
  std::string signature = mixed.text().substr(0, mixed.text().find(" -> "));
  std::string rest = mixed.text().substr(signature.size());
  for (unsigned long i = 0; i < count; ++i) {
    const std::string name = "%v" + std::to_string(count + i);
    EditedText without(rest);
    without.drop_line(name + " = stablehlo.convert %arg" + std::to_string(i));
    rest = without.text();
    for (const std::string end : {",", ")", " :", "\n"}) {
      for (std::size_t at = 0; (at = rest.find(name + end, at)) != std::string::npos;)
        rest.replace(at, name.size(), "%arg" + std::to_string(i));
    }
  }
  for (std::size_t at = 0; (at = signature.find("f32>", at)) != std::string::npos; at += 5)
    signature.replace(at, 4, "bf16>");
  EditedText renumbered(signature + rest);
  renumbered.renumber([&](unsigned long node) { return node - count; });
  EXPECT_TRUE(same_text(half, renumbered.text()));
}

TEST(Mixed, AModuleIsThatOfATapeOfBf16ButForItsConvertedArguments) {
  expect_the_text_of_bf16({{2, 3}, {3, 4}}, [](const auto& x) { return tanh(relu(matmul(x[0], x[1]))); });
  expect_the_text_of_bf16({{3, 3}, {2, 3}}, [](const auto& x) {
    const auto folded = sum(fold(x[0], 0, 3, 2, 1, 8));
    const auto summed = sum(exp(sum_along(x[1], 0)));
    return folded * summed;
  });
  expect_the_text_of_bf16({{1, 2, 5, 5}, {2, 2, 2, 2}, {2}},
                          [](const auto& x) { return max_pool(relu(conv2d(x[0], x[1], x[2], 1, 0)), 2, 2); });
}

TEST(Mixed, AClassifiersStepConvertsItsWeightsAndHasItsLossInF32) {
  Recording r;
  const auto weights = r.parameter({3, 4});
  const auto input = r.input({2, 3});
  const auto targets = r.input({2, 4});
  const auto half = convert<Bf16>(input);
  const auto logits = matmul(half, convert<Bf16>(weights));
  const auto loss = negate(sum(convert<float>(log_softmax(logits, 1)) * targets));
  const Adjoints adjoints = r.tape.differentiate(loss, {weights});
  expect_own_golden("stablehlo/own/mixed_classifier.mlir", std::move(r).emit(adjoints.roots()));
}

}  // namespace
}  // namespace topos::testing
